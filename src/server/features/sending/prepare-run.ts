import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { AskedTarget } from '#contract/target.ts';
import {
  CANDIDATE_FAULT_TEXTS,
  type CandidateDate,
  candidateFaults,
  renderCandidates,
} from '#domain/candidate-dates.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { type MailTarget, mailRenderer, type RunMail, TemplateFault } from './run-mail.ts';
import { type LoadedSender, loadSender } from './sender.queries.ts';
import { sendGridNote } from './sendgrid-note.ts';
import { type PickedTargets, pickTargets } from './targets.queries.ts';
import type { TransportName } from './transport.ts';

export interface RunRequest {
  readonly senderId: number;
  readonly attackList: readonly AskedTarget[];
  readonly candidates: readonly CandidateDate[];
  readonly test: boolean;
  readonly daysFromLastday: number;
  /** The way it will leave. */
  readonly transport: TransportName;
  /** The reservation that the targets are of: it does not stand in its own way. */
  readonly exceptReservationId?: number;
}

export interface PreparedRun {
  readonly sender: LoadedSender;
  readonly picked: PickedTargets;
  readonly mail: RunMail;
}

/** A run whose mails were rendered. fault: one of them could not be. */
interface Rehearsal extends PreparedRun {
  readonly fault: Refusal | null;
}

/** What is wrong with candidate dates, for the user. @param now epoch milliseconds */
export function refuseCandidates(candidates: readonly CandidateDate[], now: number): Refusal | null {
  const fault = candidateFaults(candidates, now).find((found) => found !== null);
  return fault ? new Refusal(400, 'invalid_candidate_date', `${CANDIDATE_FAULT_TEXTS[fault]}。`) : null;
}

/** Chooses and judges a run within the transaction that promises it. @throws NotRehearsed */
export type Prepare = (tx: Tx, request: RunRequest) => Promise<PreparedRun | Refusal>;

/** Ends a transaction that was about to promise mails nobody has rendered yet. */
class NotRehearsed extends Error {
  override readonly name = 'NotRehearsed';
  readonly request: RunRequest;

  constructor(request: RunRequest) {
    super('the mails of a run are not rendered yet');
    this.request = request;
  }
}

/** Whoever edits faster than that has the rest rendered within the transaction. */
const REHEARSALS = 3;

/**
 * Does `work`, which promises the mails of a run, in a transaction. They are rendered before it: it would else stay open for so long.
 * Where it comes upon others (edited in between, or with the dates that a reservation holds already), it is rolled back, those are rendered
 * and it begins anew.
 * @param request null: there is nothing to render. @param now epoch milliseconds
 */
export async function withRehearsal<Result>(
  account: AccountDb,
  request: RunRequest | null,
  now: number,
  work: (tx: Tx, prepare: Prepare) => Promise<Result>,
): Promise<Result> {
  let rehearsed = request && (await rehearse(account, request, now));
  for (let tries = 1; ; tries += 1) {
    const known = rehearsed;
    const isLast = tries === REHEARSALS;
    try {
      return await account.transaction((tx) =>
        work(tx, (within, asked) =>
          prepareRun(within, account.id, asked, { now, rehearsed: known, mayRender: isLast }),
        ),
      );
    } catch (error) {
      if (!(error instanceof NotRehearsed)) throw error;
      rehearsed = await rehearse(account, error.request, now);
    }
  }
}

/** What stands in the way of the run is for the transaction to tell, a faulty template too. @returns null: nothing to render */
async function rehearse(account: AccountDb, request: RunRequest, now: number): Promise<Rehearsal | null> {
  const run = await account.snapshot((tx) => chooseRun(tx, account.id, request, now));
  if (run instanceof Refusal) return null;
  return { ...run, fault: await templateFault(run.mail, run.picked.targets) };
}

/**
 * All that must hold before an attack list is promised, now or for later: a sender of the account that is switched on, targets that
 * may be mailed, and mails that can be rendered.
 */
async function prepareRun(
  tx: Tx,
  accountId: number,
  request: RunRequest,
  { now, rehearsed, mayRender }: { now: number; rehearsed: Rehearsal | null; mayRender: boolean },
): Promise<PreparedRun | Refusal> {
  const run = await chooseRun(tx, accountId, request, now);
  if (run instanceof Refusal) return run;
  // Edited in between, the template, the sender or the account: nothing that was rendered counts.
  const known = rehearsed && isDeepStrictEqual(run.mail, rehearsed.mail) ? rehearsed : null;
  if (known?.fault) return known.fault;
  const others = notRehearsed(run, known);
  if (others.length > 0 && !mayRender) throw new NotRehearsed(request);
  return (await templateFault(run.mail, others)) ?? run;
}

function notRehearsed({ picked }: PreparedRun, rehearsed: Rehearsal | null): readonly MailTarget[] {
  if (!rehearsed) return picked.targets;
  const keyOf = ({ company_name, person_in_charge }: MailTarget) => JSON.stringify([company_name, person_in_charge]);
  const known = new Set(rehearsed.picked.targets.map(keyOf));
  return picked.targets.filter((target) => !known.has(keyOf(target)));
}

/** The same as prepareRun, with no mail rendered yet. @param now epoch milliseconds */
export async function chooseRun(
  tx: Tx,
  accountId: number,
  { senderId, attackList, candidates, transport, ...rules }: RunRequest,
  now: number,
): Promise<PreparedRun | Refusal> {
  const sender = await loadSender(tx, accountId, senderId);
  if (!sender) return notFound();
  const mail = runMail(sender, candidates, transport);
  if (mail === null) return noSendGridTemplate();
  const scope = { accountId, senderGroupId: sender.sender_group_id, ...rules, now };
  const picked = await pickTargets(tx, attackList, scope);
  if (picked instanceof Refusal) return picked;
  return { sender, picked, mail };
}

const noSendGridTemplate = () =>
  new Refusal(
    400,
    'no_sendgrid_template',
    'このテンプレートには、SendGridのテンプレートIDが設定されていません。管理者に設定を依頼してください。',
  );

const sendGridBodies = (id: string | null) => (id === null ? null : { ...sendGridNote(id), sendgrid_template_id: id });

/** @returns null where it goes through SendGrid, and nobody has said which template there makes its bodies */
function runMail(sender: LoadedSender, candidates: readonly CandidateDate[], transport: TransportName): RunMail | null {
  const { subject, text_body, html_body, person_in_charge, email, sendgrid_template_id } = sender;
  const bodies = transport === 'smtp' ? { text_body, html_body } : sendGridBodies(sendgrid_template_id);
  if (bodies === null) return null;
  const bcc = (sender.bcc ?? '').split(',').flatMap((address) => address.trim() || []);
  return {
    subject,
    ...bodies,
    sender: { person_in_charge, email, bcc },
    account: { name: sender.account_name, company: sender.account_company },
    candidate_dates: candidates.length === 0 ? [] : renderCandidates(candidates).split('\n'),
  };
}

/** Mails rendered in one turn of the event loop: 1,000 take some hundred milliseconds, and others must not wait for them all. */
const MAILS_A_TURN = 25;
/** Fewer of a slow template, of which one mail may take a second: leases are renewed and transactions of others go on meanwhile. */
const TURN_MS = 50;

/** Every mail of the run is rendered once before any is promised: a template fault is told now, not by a failed mail. */
export async function templateFault(mail: RunMail, targets: readonly MailTarget[]): Promise<Refusal | null> {
  if (targets.length === 0) return null;
  try {
    const render = mailRenderer(mail);
    let begun = performance.now();
    for (const [index, target] of targets.entries()) {
      if (index > 0 && (index % MAILS_A_TURN === 0 || performance.now() - begun > TURN_MS)) {
        await nextTurn();
        begun = performance.now();
      }
      render(target);
    }
    return null;
  } catch (error) {
    if (error instanceof TemplateFault) return new Refusal(400, 'invalid_template', error.message);
    throw error;
  }
}
