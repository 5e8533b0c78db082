import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialogBody from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { monogram } from '#web/components/inline/monogram.ts';
import { NotThere, type WayBack } from '#web/components/page-frame.tsx';
import { Panel } from '#web/components/panel.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { call } from '#web/lib/api/call.ts';
import { hasStatus, unwrap } from '#web/lib/api/query-client.ts';
import { withNote } from '#web/lib/phrases.ts';
import { isDialogOpen, keyText, useKey } from '#web/lib/screen/keys.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { May, useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { CompanyBadges } from './company-badges.tsx';
import { CompanyFacts } from './company-facts.tsx';
import { CompanyGroups, CompanyRemarks } from './company-groups.tsx';
import type { PathOf } from './company-link.ts';
import { companyQuery, reloadCompany, timelineQuery } from './company-query.ts';
import { EditCompanyDialog } from './edit-company-dialog.tsx';
import type { MailParts } from './mail-parts.ts';
import { CompanyTags } from './own/company-tags.tsx';
import { OwnPanel } from './own/own-panel.tsx';
import { PeoplePanel } from './people/people-panel.tsx';
import type { Group, Undo } from './save-company.ts';
import { SavedLine } from './saved-line.tsx';
import { EventLine } from './timeline-event.tsx';
import { ARCHIVE_MESSAGES, COMPANY_MESSAGES, TIMELINE_MESSAGES } from './words.ts';

type ArchiveAct = 'archive' | 'restore';

/** The parts that a frame (page or drawer) shows. */
interface FrameParts {
  readonly title: string;
  /** The drawn title: the company's name with its monogram. */
  readonly heading: ReactNode;
  /** The badges of the company. */
  readonly marks?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

interface Props {
  readonly id: number;
  /** The chosen sender group, whose remarks the form shows; undefined: none. */
  readonly group: Group | undefined;
  /** Whether the group is still loading: reserve the height that it will need. */
  readonly awaitsGroup?: boolean;
  /** Leads to the list; undefined: the list is in view. */
  readonly back?: WayBack;
  readonly pathOf: PathOf;
  readonly mails: MailParts;
  /** Renders why the company gets no mail, and its replies. A route passes it in. */
  readonly renderStops: (company: CompanyDetail) => ReactNode;
  /** Renders the actions of other features, with a menu that ends with this feature's own. */
  readonly renderActs: (
    company: CompanyDetail,
    own: { readonly edit: ReactNode; readonly menu: ReactNode; readonly onMend: () => void },
  ) => ReactNode;
  readonly renderFrame: (parts: FrameParts) => ReactNode;
}

/** Shows one company: details, groups, history and actions. */
export function CompanyScreen(props: Props) {
  const { id, renderFrame } = props;
  const { data, error, refetch } = useQuery(companyQuery(id));
  if (data !== undefined && props.awaitsGroup !== true) return <LoadedCompany {...props} company={data} />;
  return renderFrame({
    title: COMPANY_MESSAGES.title,
    heading: COMPANY_MESSAGES.title,
    children: hasStatus(error, 404) ? (
      <NotThere title={COMPANY_MESSAGES.notFound} help={COMPANY_MESSAGES.notFoundHelp} back={props.back} />
    ) : (
      <NotLoaded what={COMPANY_MESSAGES.title} error={error} onRetry={() => void refetch()} />
    ),
  });
}

function LoadedCompany(props: Props & { readonly company: CompanyDetail }) {
  const { company, group, pathOf, mails, renderStops, renderActs, renderFrame } = props;
  const [open, setOpen] = useState<'edit' | 'mend' | ArchiveAct | null>(null);
  const [undo, setUndo] = useState<Undo | null>(null);
  const close = () => setOpen(null);
  const act: ArchiveAct = company.archived === 1 ? 'restore' : 'archive';
  const editKey = keyText('edit');

  const mayEdit = useMay('updateProspect');
  useKey('edit', () => {
    if (!mayEdit || isDialogOpen()) return false;
    setOpen('edit');
    return true;
  });

  return (
    <>
      {renderFrame({
        title: company.company_name,
        heading: <bdi {...monogram(company)}>{company.company_name}</bdi>,
        marks: (
          <>
            <CompanyBadges company={company} groupId={group?.id} />
            <CompanyTags company={company} />
          </>
        ),
        actions: renderActs(company, {
          onMend: () => setOpen('mend'),
          edit: (
            <May call="updateProspect">
              <Button
                title={withNote(COMMON_MESSAGES.actions.edit, editKey.shown)}
                aria-keyshortcuts={editKey.aria}
                onClick={() => setOpen('edit')}
              >
                {COMMON_MESSAGES.actions.edit}
              </Button>
            </May>
          ),
          menu: (
            <May call="archiveProspect">
              <button type="button" onClick={() => setOpen(act)}>
                {ARCHIVE_MESSAGES[act].button}
              </button>
            </May>
          ),
        }),
        children: (
          <div className="stack-wide">
            <SavedLine company={company} undo={undo} onUndone={() => setUndo(null)} />
            {renderStops(company)}
            <CompanyParts company={company} group={group} mails={mails} onSaved={setUndo} />
          </div>
        ),
      })}
      {open === 'edit' || open === 'mend' ? (
        <EditCompanyDialog
          mends={open === 'mend'}
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

interface PartsProps extends Pick<Props, 'group' | 'mails'> {
  readonly company: CompanyDetail;
  readonly onSaved: (undo: Undo) => void;
}

/** Shows what is stored about a company, beside what has happened. */
function CompanyParts({ company, group, mails, onSaved }: PartsProps) {
  return (
    <div className="pair">
      <div className="stack-wide">
        {group === undefined ? null : <CompanyRemarks key={group.id} company={company} group={group} />}
        <CompanyFacts company={company} />
        <OwnPanel company={company} onSaved={onSaved} />
      </div>
      <div className="stack-wide">
        <PeoplePanel company={company} />
        <CompanyGroups company={company} currentId={group?.id} />
        <Timeline company={company} mails={mails} />
      </div>
    </div>
  );
}

/** Shows the history of a company: mails, imports and changes, newest first. */
function Timeline({ company, mails }: { readonly company: CompanyDetail; readonly mails: MailParts }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    timelineQuery(company.id),
  );
  const isUnsent = data?.every(({ kind }) => kind !== 'mail' && kind !== 'recorded') === true && !hasNextPage;
  const groupNames = new Map(company.groups.map(({ sender_group_id, group_name }) => [sender_group_id, group_name]));
  return (
    <Panel title={TIMELINE_MESSAGES.title}>
      {isUnsent ? <small>{TIMELINE_MESSAGES.noMail}</small> : null}
      {data === undefined ? (
        <NotLoaded what={TIMELINE_MESSAGES.title} error={error} onRetry={() => void refetch()} />
      ) : null}
      <ol>
        {data?.map((event, index) => (
          <EventLine
            // Unique by more than its time, because two events may have the same second.
            key={`${event.kind} ${event.at} ${event.delivery_id ?? data.length - index}`}
            event={event}
            groupName={event.sender_group_id === null ? undefined : groupNames.get(event.sender_group_id)}
            people={company.people}
            mails={mails}
          />
        ))}
      </ol>
      {hasNextPage ? (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {TIMELINE_MESSAGES.more}
        </Button>
      ) : null}
    </Panel>
  );
}

interface ArchiveDialogProps {
  readonly company: CompanyDetail;
  readonly act: ArchiveAct;
  readonly onClose: () => void;
}

/** Asks before a company is archived or restored. No data are lost. */
function ArchiveDialog({ company: { id, company_name }, act, onClose }: ArchiveDialogProps) {
  const client = useQueryClient();
  const messages = ARCHIVE_MESSAGES[act];
  const { mutate, isPending } = useMutation({
    mutationFn: () => archiveCompany(id, act),
    onSuccess: () => {
      toast('success', messages.done);
      void reloadCompany(client, id);
      onClose();
    },
  });
  return (
    <Dialog title={messages.title} onClose={onClose}>
      <p className={dialogBody.question}>{messages.question(company_name)}</p>
      <p className={dialogBody.consequence}>{messages.consequence}</p>
      <DialogFoot
        stay={<CancelButton onClick={onClose} />}
        act={
          <Button variant="primary" busy={isPending} data-autofocus onClick={() => mutate()}>
            {messages.button}
          </Button>
        }
      />
    </Dialog>
  );
}

/** Archives a company, or restores it to the lists. */
async function archiveCompany(id: number, act: ArchiveAct): Promise<void> {
  const input = { params: { id: String(id) } };
  if (act === 'archive') unwrap(await call('archiveProspect', input));
  else unwrap(await call('restoreProspect', input));
}
