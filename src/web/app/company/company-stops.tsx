import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { lazy, type ReactNode, useState } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { Button } from '#web/components/button.tsx';
import { Menu } from '#web/components/dialog/menu.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { listChosen } from '#web/features/attack-list/attack-list-state.ts';
import { COMPANY_MESSAGES } from '#web/features/companies/words.ts';
import { REPLY_MESSAGES } from '#web/features/replies/words.ts';
import { SuppressionNote } from '#web/features/suppressions/suppression-note.tsx';
import { SUPPRESSION_ADD_MESSAGES } from '#web/features/suppressions/words.ts';
import { ATTACK_LIST_PATH, prospectPath } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useNavigate } from '#web/lib/router/use-router.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import styles from './company.module.css';

/** Reserves the replies' height while they load, so that the content below hardly moves. */
const roomFor = (replies: number) => ({ minHeight: 120 + 290 * Math.min(replies, 5) });

const CompanyReplies = lazy(() => loadPart(() => import('#web/features/replies/company-replies.tsx')));

const MarkDialog = lazy(() => loadPart(() => import('#web/features/replies/mark-dialog.tsx')));

const AddDialog = lazy(() => loadPart(() => import('#web/features/suppressions/add-dialog.tsx')));

interface ActsProps {
  readonly company: CompanyDetail;
  /** Buttons that the companies feature supplies. */
  readonly own: { readonly edit: ReactNode; readonly menu: ReactNode };
}

/** Shows the company's actions in one row, the rarer ones in a menu. */
export function CompanyActs({ company, own }: ActsProps) {
  const { id, company_name, company_email, suppressed, replied } = company;
  const navigate = useNavigate();
  const [open, setOpen] = useState<'mark' | 'suppress' | null>(null);
  const close = () => setOpen(null);
  const hasAddress = company_email !== null && company_email !== '';
  return (
    <>
      <Button
        variant="primary"
        onClick={() => {
          listChosen([{ id, name: company_name }]);
          void navigate(ATTACK_LIST_PATH);
        }}
      >
        {COMPANY_MESSAGES.send}
      </Button>
      {own.edit}
      <Menu
        className={styles.menu}
        label={
          <>
            <IconDots size={18} aria-hidden />
            <span className="visually-hidden">{COMPANY_MESSAGES.moreActs}</span>
          </>
        }
      >
        {replied === 1 ? null : (
          <button type="button" onClick={() => setOpen('mark')}>
            {REPLY_MESSAGES.marking.button}
          </button>
        )}
        {hasAddress && suppressed === null ? (
          <button type="button" onClick={() => setOpen('suppress')}>
            {SUPPRESSION_ADD_MESSAGES.addCompany}
          </button>
        ) : null}
        {own.menu}
      </Menu>
      <PartBoundary>
        {open === 'mark' ? <MarkDialog prospectId={id} onClose={close} /> : null}
        {open === 'suppress' && hasAddress ? <AddDialog address={company_email} onClose={close} /> : null}
      </PartBoundary>
    </>
  );
}

/** Shows why a company gets no mail, and its replies. */
export function CompanyStops({ company }: { readonly company: CompanyDetail }) {
  const { id, company_name, company_email, suppressed, maybe_refused, replies } = company;
  return (
    <>
      {suppressed === null ? null : <SuppressionNote notice={suppressed} address={company_email ?? ''} />}
      {maybe_refused === null || maybe_refused.id === id ? null : <Waiting {...maybe_refused} />}
      {replies === 0 ? null : (
        <PartBoundary waiting={<div style={roomFor(replies)} />}>
          <CompanyReplies prospectId={id} company={company_name} room={roomFor(replies)} />
        </PartBoundary>
      )}
    </>
  );
}

/** Says that the company is blocked until a reply from another company with the same address is handled. */
function Waiting({ id, company_name }: NonNullable<CompanyDetail['maybe_refused']>) {
  const [before, after] = REPLY_MESSAGES.waitingHelp;
  return (
    <Notice tone="warning">
      {before}
      <Link to={prospectPath(id)}>{company_name}</Link>
      {after}
    </Notice>
  );
}
