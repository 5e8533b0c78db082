import type { AskedTarget } from '#contract/target.ts';
import {
  CANDIDATE_FAULT_MESSAGES,
  type CandidateDate,
  candidateFaults,
  renderCandidates,
} from '#domain/candidate-dates.ts';
import type { Tx } from '../../platform/db.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import type { TransportTemplates } from '../delivery/transports/transport.ts';
import {
  type MailTarget,
  mailRenderer,
  type RenderedMail,
  type RunMail,
  renderMail,
  TemplateFault,
} from '../mail-content/run-mail.ts';
import { type LoadedSender, loadSender } from './sender.queries.ts';
import { type PickedTargets, pickTargets } from './targets.queries.ts';

export interface RunRequest {
  /** Who wants it: `account.name` of the mails is theirs. Null: nobody known. */
  readonly memberId: number | null;
  readonly senderId: number;
  readonly attackList: readonly AskedTarget[];
  readonly candidates: readonly CandidateDate[];
  readonly test: boolean;
  readonly daysFromLastday: number;
  /** The transport of the mails. */
  readonly transport: TransportTemplates;
  /** The reservation that the targets are of: it does not stand in its own way. */
  readonly exceptReservationId?: number;
}

export interface PreparedRun {
  readonly sender: LoadedSender;
  readonly picked: PickedTargets;
  readonly mail: RunMail;
}

/** What is wrong with candidate dates, for the user. @param now epoch milliseconds */
export function refuseCandidates(candidates: readonly CandidateDate[], now: number): Refusal | null {
  const fault = candidateFaults(candidates, now).find((found) => found !== null);
  return fault ? new Refusal(400, 'invalid_candidate_date', `${CANDIDATE_FAULT_MESSAGES[fault]}。`) : null;
}

/**
 * Chooses the targets of an attack list and checks all that must hold before it is promised, now or for later: a sender of the account
 * that is switched on, targets that may be mailed, and templates of which mails can be made. @param now epoch milliseconds
 */
export async function prepareRun(
  tx: Tx,
  accountId: number,
  { memberId, senderId, attackList, candidates, transport, ...rules }: RunRequest,
  now: number,
): Promise<PreparedRun | Refusal> {
  const sender = await loadSender(tx, { accountId, memberId, senderId });
  if (!sender) return notFound();
  const mail = runMail(sender, candidates, transport);
  if (mail instanceof Refusal) return mail;
  const scope = { accountId, senderGroupId: sender.sender_group_id, ...rules, now };
  const picked = await pickTargets(tx, attackList, scope);
  if (picked instanceof Refusal) return picked;
  return refuseTemplate(mail) ?? { sender, picked, mail };
}

/** Returns what all mails of a run share, or why the transport cannot send the template. */
function runMail(
  sender: LoadedSender,
  candidates: readonly CandidateDate[],
  transport: TransportTemplates,
): RunMail | Refusal {
  const bodies = transport.bodiesOf(sender);
  if (bodies instanceof Refusal) return bodies;
  const { subject, person_in_charge, email } = sender;
  const bcc = (sender.bcc ?? '').split(',').flatMap((address) => address.trim() || []);
  return {
    subject,
    ...bodies,
    sender: { person_in_charge, email, bcc },
    account: { name: sender.account_name, company: sender.account_company },
    candidate_dates: candidates.length === 0 ? [] : renderCandidates(candidates).split('\n'),
  };
}

/** Refuses templates of which no mail can be made: a run checks them once, and renders nothing. */
const refuseTemplate = (mail: RunMail): Refusal | null => orRefusal(() => mailRenderer(mail) && null);

/** Renders one mail. The values of this very mail may still not fit, such as a line break in the company's name. */
export const tryRender = (mail: RunMail, target: MailTarget): RenderedMail | Refusal =>
  orRefusal(() => renderMail(mail, target));

function orRefusal<Result>(work: () => Result): Result | Refusal {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateFault) return new Refusal(400, 'invalid_template', error.message);
    throw error;
  }
}
