import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { lazy, type ReactNode, useState } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { Button } from '#web/components/button.tsx';
import { Menu } from '#web/components/dialog/menu.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { listChosen, useAttackList } from '#web/features/attack-list/attack-list-state.ts';
import { COMPANY_MESSAGES } from '#web/features/companies/words.ts';
import { REPLY_MESSAGES } from '#web/features/replies/words.ts';
import { SuppressionNote } from '#web/features/suppressions/suppression-note.tsx';
import { SUPPRESSION_ADD_MESSAGES } from '#web/features/suppressions/words.ts';
import { ATTACK_LIST_PATH, PATHS, prospectPath, reservationPath } from '#web/lib/address/paths.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useNavigate } from '#web/lib/router/use-router.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { May } from '#web/lib/session/use-may.ts';
import styles from './company.module.css';
import { type CompanyAct, companyAct } from './company-act.ts';

/** Reserves the replies' height while they load, so that the content below hardly moves. */
const roomFor = (replies: number) => ({ minHeight: 120 + 290 * Math.min(replies, 5) });

const CompanyReplies = lazy(() => loadPart(() => import('#web/features/replies/company-replies.tsx')));

const MarkDialog = lazy(() => loadPart(() => import('#web/features/replies/mark-dialog.tsx')));

const AddDialog = lazy(() => loadPart(() => import('#web/features/suppressions/add-dialog.tsx')));

interface Props {
  readonly company: CompanyDetail;
  /** The chosen sender group; undefined: none. */
  readonly groupId: number | undefined;
}

interface ActsProps extends Props {
  /** Buttons that the companies feature supplies, and what opens its form for another address. */
  readonly own: { readonly edit: ReactNode; readonly menu: ReactNode; readonly onMend: () => void };
}

function useCompanyAct({ company, groupId }: Props): CompanyAct {
  const days = useAttackList((state) => state.attack_list_settings.days_from_lastday);
  return companyAct(company, groupId, days, serverNow());
}

/** Whether no mail reaches the company: its address is suppressed, and no 主担当 has one that is not. */
const isStopped = ({ suppressed, people }: CompanyDetail): boolean =>
  suppressed !== null &&
  !people.some((person) => person.is_primary === 1 && person.email !== null && person.suppressed === null);

/** Shows the company's actions in one row, the rarer ones in a menu. Filled is what can be done. */
export function CompanyActs({ company, groupId, own }: ActsProps) {
  const { id, company_name, company_email, suppressed, replied } = company;
  const navigate = useNavigate();
  const act = useCompanyAct({ company, groupId });
  const [open, setOpen] = useState<'mark' | 'suppress' | null>(null);
  const close = () => setOpen(null);
  const hasAddress = company_email !== null && company_email !== '';
  const isOther = act === 'mend' || act === 'reservation';

  function send(): void {
    listChosen([{ id, name: company_name }]);
    void navigate(ATTACK_LIST_PATH);
  }

  return (
    <>
      <MainAct act={act} company={company} groupId={groupId} onMend={own.onMend} onSend={send} />
      {own.edit}
      {/* Each entry of the menu is an edit. */}
      <May call="updateProspect">
        <Menu
          className={styles.menu}
          label={
            <>
              <IconDots size={18} aria-hidden />
              <span className="visually-hidden">{COMPANY_MESSAGES.moreActs}</span>
            </>
          }
        >
          {isOther && !isStopped(company) ? (
            <May call="sendMail" groupId={groupId}>
              <button type="button" onClick={send}>
                {COMPANY_MESSAGES.send}
              </button>
            </May>
          ) : null}
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
      </May>
      <PartBoundary>
        {open === 'mark' ? <MarkDialog prospectId={id} onClose={close} /> : null}
        {open === 'suppress' && hasAddress ? <AddDialog address={company_email} onClose={close} /> : null}
      </PartBoundary>
    </>
  );
}

interface MainProps extends Props {
  readonly act: CompanyAct;
  readonly onMend: () => void;
  readonly onSend: () => void;
}

/** Shows the button of what the company waits for. */
function MainAct({ act, company, groupId, onMend, onSend }: MainProps) {
  if (act === 'reservation') {
    return (
      <ButtonLink variant="primary" to={reservationOf(company, groupId)}>
        {COMPANY_MESSAGES.seeReservation}
      </ButtonLink>
    );
  }
  if (act === 'mend') {
    return (
      <May call="updateProspect">
        <Button variant="primary" onClick={onMend}>
          {COMPANY_MESSAGES.mend}
        </Button>
      </May>
    );
  }
  if (isStopped(company)) return null;
  return (
    <May call="sendMail" groupId={groupId}>
      <Button variant={act === 'send' ? 'primary' : 'default'} onClick={onSend}>
        {COMPANY_MESSAGES.send}
      </Button>
    </May>
  );
}

/** Returns the path of the company's reservation; of all, where a server before this version does not name it. */
function reservationOf({ groups }: CompanyDetail, groupId: number | undefined): string {
  const id = groups.find(({ sender_group_id }) => sender_group_id === groupId)?.reservation_id ?? null;
  return id === null ? PATHS.reservations : reservationPath(id);
}

/** Shows why a company gets no mail, and its replies. */
export function CompanyStops({ company, groupId }: Props) {
  const act = useCompanyAct({ company, groupId });
  const { id, company_name, company_email, suppressed, maybe_refused, replies } = company;
  return (
    <>
      {suppressed === null ? null : <SuppressionNote notice={suppressed} address={company_email ?? ''} />}
      {maybe_refused === null || maybe_refused.id === id ? null : <Waiting {...maybe_refused} />}
      {replies === 0 ? null : (
        <PartBoundary waiting={<div style={roomFor(replies)} />}>
          <CompanyReplies prospectId={id} company={company_name} isNext={act === 'reply'} room={roomFor(replies)} />
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
