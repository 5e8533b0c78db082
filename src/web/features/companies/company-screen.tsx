import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { CompanyDetail } from '#contract/companies.ts';
import { Button } from '#web/components/button.tsx';
import { EmptyState } from '#web/components/empty-state.tsx';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import { isDialogOpen, keyText, useKey } from '#web/lib/keys.ts';
import { withNote } from '#web/lib/phrases.ts';
import { hasStatus } from '#web/lib/query-client.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import type { ArchiveAct } from './archive-company.ts';
import { ArchiveDialog } from './archive-dialog.tsx';
import styles from './company.module.css';
import { CompanyBadges } from './company-badges.tsx';
import { CompanyFacts } from './company-facts.tsx';
import { CompanyGroups } from './company-groups.tsx';
import type { PathOf } from './company-link.ts';
import { companyQuery } from './company-query.ts';
import { EditCompanyDialog } from './edit-company-dialog.tsx';
import type { MailParts } from './mail-parts.ts';
import type { Group, Undo } from './save-company.ts';
import { SavedLine } from './saved-line.tsx';
import { Timeline } from './timeline.tsx';
import { ARCHIVE_MESSAGES, COMPANY_MESSAGES } from './words.ts';

/** What a frame shows: the page or the drawer. */
interface FrameParts {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

interface Props {
  readonly id: number;
  /** The chosen sender group, whose remarks the form shows; undefined: there is none. */
  readonly group: Group | undefined;
  readonly pathOf: PathOf;
  readonly mails: MailParts;
  /** Why the company gets no mail, the acts that have it get none, and its answers. A route passes it in. */
  readonly renderStops: (company: CompanyDetail) => ReactNode;
  readonly renderFrame: (parts: FrameParts) => ReactNode;
}

/** One company: its details, its groups, its history, and what can be done with it. */
export function CompanyScreen(props: Props) {
  const { id, renderFrame } = props;
  const { data, error, refetch } = useQuery(companyQuery(id));
  if (data !== undefined) return <LoadedCompany {...props} company={data} />;
  return renderFrame({
    title: COMPANY_MESSAGES.title,
    children: hasStatus(error, 404) ? (
      <div className={styles.nothing}>
        <EmptyState kind="none" title={COMPANY_MESSAGES.notFound} help={COMPANY_MESSAGES.notFoundHelp} />
      </div>
    ) : (
      <NotLoaded hasFailed={error !== null} onRetry={() => void refetch()} />
    ),
  });
}

function LoadedCompany(props: Props & { readonly company: CompanyDetail }) {
  const { company, group, pathOf, mails, renderStops, renderFrame } = props;
  const [open, setOpen] = useState<'edit' | ArchiveAct | null>(null);
  const [undo, setUndo] = useState<Undo | null>(null);
  const close = () => setOpen(null);
  const act: ArchiveAct = company.archived === 1 ? 'restore' : 'archive';
  const editKey = keyText('edit');

  useKey('edit', () => {
    if (isDialogOpen()) return false;
    setOpen('edit');
    return true;
  });

  return (
    <>
      {renderFrame({
        title: company.company_name,
        actions: (
          <>
            <Button onClick={() => setOpen(act)}>{ARCHIVE_MESSAGES[act].button}</Button>
            <Button
              variant="primary"
              title={withNote(COMMON_MESSAGES.actions.edit, editKey.shown)}
              aria-keyshortcuts={editKey.aria}
              onClick={() => setOpen('edit')}
            >
              {COMMON_MESSAGES.actions.edit}
            </Button>
          </>
        ),
        children: (
          <div className={styles.company}>
            <SavedLine company={company} undo={undo} onUndone={() => setUndo(null)} />
            <CompanyBadges company={company} />
            {renderStops(company)}
            <CompanyFacts company={company} />
            <CompanyGroups company={company} />
            <Timeline company={company} mails={mails} />
          </div>
        ),
      })}
      {open === 'edit' ? (
        <EditCompanyDialog
          company={company}
          group={group}
          pathOf={pathOf}
          onClose={close}
          onSaved={(saved) => {
            setUndo(saved);
            close();
          }}
        />
      ) : null}
      {open === 'archive' || open === 'restore' ? <ArchiveDialog company={company} act={open} onClose={close} /> : null}
    </>
  );
}
