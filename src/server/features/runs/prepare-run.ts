import type { LegalFault } from '#domain/law/profile.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import {
  CANDIDATE_FAULT_MESSAGES,
  type CandidateDate,
  candidateFaults,
  renderCandidates,
} from '#domain/sending/candidate-dates.ts';
import type { Calendar } from '#domain/sending/sending-hours.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { UrlOf } from '../../platform/http/hosts.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { ownsFollowedRuns } from '../attack-list/follow-up.queries.ts';
import type { TransportTemplates } from '../delivery/transports/transport.ts';
import type { RunLegal } from '../mail-content/legal-footer.ts';
import { keysInUse, readOwnKeys } from '../mail-content/merge-values.queries.ts';
import {
  type MailTarget,
  mailRenderer,
  type RenderedMail,
  type RunMail,
  renderMail,
  TemplateFault,
} from '../mail-content/run-mail.ts';
import type { OwnKeys } from '../mail-content/template-walk.ts';
import { hasMailbox } from '../mailboxes/read-mailboxes.queries.ts';
import { loadCalendar } from '../sending-rules/calendar.queries.ts';
import { answerOfTest, incompleteLegal, runFaults, targetFaults } from './legal-check.ts';
import {
  type LegalState,
  type ListedTarget,
  type LoadedSender,
  loadLegalState,
  loadSender,
  type PickedTargets,
  pickTargets,
} from './order.queries.ts';

/** Program settings that the mails of all runs depend on. */
export interface Mailing {
  /** The transport that will send the mails. */
  readonly transport: TransportTemplates;
  /** The origin at which an account's members open the web client, for its opt-out links. */
  readonly urlOf: UrlOf;
  /** false: mails without a mailbox stay in the mail catcher. */
  readonly leavesMachine: boolean;
}

export interface RunRequest extends Mailing {
  /** The requesting member, whose name is `account.name` in the mails; null: unknown. */
  readonly memberId: number | null;
  readonly senderId: number;
  readonly attackList: readonly ListedTarget[];
  readonly candidates: readonly CandidateDate[];
  readonly test: boolean;
  readonly daysFromLastday: number;
  readonly sendTo: SendTo;
  /** The reservation that becomes the run: its own targets do not count as reserved. */
  readonly exceptReservationId?: number;
  /** Accepts targets with an unclear reply: their mails are held until a member decides. */
  readonly holdsDoubted?: boolean;
}

export interface PreparedRun {
  readonly sender: LoadedSender;
  readonly picked: PickedTargets;
  readonly mail: RunMail;
  readonly legalState: LegalState;
  /** Its real mails would stay in the mail catcher, although the account sends by mailboxes. */
  readonly isCaught: boolean;
  /** Whether there is no mail server, and no catcher. */
  readonly isAbsent: boolean;
  /** The group's open hours; null: a test. */
  readonly calendar: Calendar | null;
}

/** Checks candidate dates. @returns 400 with the first fault, or null. @param now epoch milliseconds */
export function candidatesProblem(candidates: readonly CandidateDate[], now: number): Problem | null {
  const fault = candidateFaults(candidates, now).find((found) => found !== null);
  return fault ? new Problem('invalid_candidate_date', `${CANDIDATE_FAULT_MESSAGES[fault]}。`) : null;
}

/**
 * Picks the targets of an attack list, and checks the needs of an order or reservation: an active sender of the
 * account, valid test addresses, and templates that can be rendered.
 * @param now epoch milliseconds
 * @returns the run, which may have no targets; or 400 or 404
 */
export async function prepareRun(
  tx: Tx,
  accountId: number,
  { memberId, senderId, attackList, candidates, transport, urlOf, leavesMachine, ...rules }: RunRequest,
  now: number,
): Promise<PreparedRun | Problem> {
  const sender = await loadSender(tx, { accountId, memberId, senderId });
  if (!sender) return notFound();
  const group = { accountId, senderGroupId: sender.sender_group_id };
  if (!(await ownsFollowedRuns(tx, group, attackList))) return notFound();
  const legalState = await loadLegalState(tx, group, urlOf(accountId), sender);
  const ownKeys = await readOwnKeys(tx, accountId);
  const mail = runMail(sender, candidates, { transport, ownKeys }, legalState.legal);
  if (mail instanceof Problem) return mail;
  const scope = { ...group, ...rules, now };
  const picked = await pickTargets(tx, attackList, scope);
  if (picked instanceof Problem) return picked;
  const calendar = rules.test ? null : await loadCalendar(tx, group, now);
  const isAbsent = transport.isAbsent === true;
  const isCaught = !leavesMachine && sender.mailbox_id === null && (isAbsent || (await hasMailbox(tx, accountId)));
  return templateProblem(mail, ownKeys) ?? { sender, picked, mail, legalState, isCaught, isAbsent, calendar };
}

/**
 * Refuses a real run that would stay in the mail catcher, without a confirmed sender, or with legal faults. A test run
 * may have all, where there is a catcher or a mail server.
 */
export const realRunProblem = (prepared: PreparedRun, test: boolean): Problem | null =>
  test
    ? prepared.isAbsent
      ? notConnected(prepared)
      : null
    : (notConnected(prepared) ?? unconfirmedSender(prepared) ?? unlawfulRun(prepared));

function notConnected({ isCaught }: PreparedRun): Problem | null {
  if (!isCaught) return null;
  return fieldProblem('sender_id', 'not_connected', 'この送信者にはメールボックスがありません。');
}

function unlawfulRun(prepared: PreparedRun): Problem | null {
  const faults = legalFaults(prepared);
  return faults instanceof Problem ? faults : incompleteLegal(faults);
}

/** Returns the legal faults of a run's mails, with warnings; 400 if its example mails cannot be rendered. */
export const legalFaults = ({ sender, mail, legalState }: PreparedRun): LegalFault[] | Problem =>
  orProblem(() => runFaults(sender, mail, legalState));

/** Returns those faults with the warnings of its targets. @param test whether its mails go to test addresses */
export function legalFaultsOfOrder(prepared: PreparedRun, test: boolean): LegalFault[] | Problem {
  const faults = legalFaults(prepared);
  if (faults instanceof Problem) return faults;
  const { sender, legalState, picked } = prepared;
  return [...faults, ...targetFaults(sender, legalState, picked.targets, test)];
}

/** Returns the legal faults in an order's answer: none for a real one, which would have been refused. */
export const legalAnswer = (prepared: PreparedRun, test: boolean) =>
  test ? answerOfTest(legalFaultsOfOrder(prepared, test)) : {};

/** Refuses a real run from an unconfirmed address, or one that the mailbox does not allow. */
function unconfirmedSender({ sender: { email, may_send, mailbox_id } }: PreparedRun): Problem | null {
  if (may_send) return null;
  const unusable = `この送信者のメールボックスは、つながっていないか、この差出人（${email}）では使えません。設定のメールボックスで確かめてください。テスト送信はできます。`;
  if (mailbox_id !== null) return fieldProblem('sender_id', 'sender_unconfirmed', unusable);
  const message = `このアドレスはまだ確認されていません（${email}）。設定の送信者グループから確認メールを送り、届いたメールのリンクを開いてください。テスト送信はできます。`;
  return fieldProblem('sender_id', 'sender_unconfirmed', message);
}

/** Returns the common parts of a run's mails, or why the transport cannot send the template. */
function runMail(
  sender: LoadedSender,
  candidates: readonly CandidateDate[],
  { transport, ownKeys }: { readonly transport: TransportTemplates; readonly ownKeys: OwnKeys },
  legal: RunLegal,
): RunMail | Problem {
  const bodies = transport.bodiesOf(sender, keysInUse(ownKeys));
  if (bodies instanceof Problem) return bodies;
  const { subject, person_in_charge, email, reply_to, signature } = sender;
  const bcc = (sender.bcc ?? '').split(',').flatMap((address) => address.trim() || []);
  return {
    subject,
    ...bodies,
    sender: { person_in_charge, email, bcc, reply_to, signature },
    account: { name: sender.account_name, company: sender.account_company },
    candidate_dates: candidates.length === 0 ? [] : renderCandidates(candidates).split('\n'),
    legal,
    full_forms: true,
  };
}

/** Refuses templates that cannot be rendered. Checks them once for the run, without rendering. */
const templateProblem = (mail: RunMail, ownKeys: OwnKeys): Problem | null =>
  orProblem(() => mailRenderer(mail, ownKeys) && null);

/** Renders one mail. @returns 400 if a value makes the mail unusable, such as a line break in a name */
export const tryRender = (mail: RunMail, target: MailTarget): RenderedMail | Problem =>
  orProblem(() => renderMail(mail, target));

function orProblem<Result>(work: () => Result): Result | Problem {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateFault) return new Problem('invalid_template', error.message);
    throw error;
  }
}
