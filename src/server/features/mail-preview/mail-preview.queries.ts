import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { checkLegal } from '#contract/senders/legal-profile.ts';
import type { FinishedMail, previewMail as previewCall } from '#contract/sending/mail-preview.ts';
import { DEFAULT_RESEND_DAYS } from '#domain/limits.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import { readSendTo } from '../attack-list/follow-up.queries.ts';
import { readMaxMailBytes } from '../delivery/quota/max-mail-bytes.ts';
import { readFollowedMails } from '../mail-content/followed-mails.queries.ts';
import { mailWarnings, sizeWarnings } from '../mail-content/mail-warnings.ts';
import { mergeKeysOf } from '../mail-content/merge-keys.ts';
import { mergeTarget, mergeValuesOf } from '../mail-content/merge-values.queries.ts';
import type { MailTarget, RunMail } from '../mail-content/run-mail.ts';
import { followUpTargets, type Target } from '../runs/order.queries.ts';
import {
  candidatesProblem,
  legalFaults,
  legalFaultsOfOrder,
  type Mailing,
  type PreparedRun,
  prepareRun,
  tryRender,
} from '../runs/prepare-run.ts';

/** The same list as an order would get. */
type AskedOrder = Omit<z.output<(typeof previewCall)['body']>, 'pagenate_num'>;

/** A target with the source of its mail. */
export type ShownTarget = Target & MailTarget;

/** An order as it would be accepted now. */
export interface ReadOrder {
  readonly run: PreparedRun;
  /** The requested targets of the order. */
  readonly shown: readonly ShownTarget[];
  readonly withoutSource: number;
  /** null: no mail goes to a person. */
  readonly withoutMetOn: number | null;
  /** The size limit of the server by which its mails leave; null: unknown, or none. */
  readonly maxBytes: number | null;
  readonly test: boolean;
}

/**
 * Picks the targets of a list as an order does, without writing.
 * @param now epoch milliseconds
 * @param shownOf selects the targets to render
 * @returns why an order of the list would be refused, otherwise the order
 */
export async function readOrder(
  account: AccountDb,
  { senderId, body, now, mailing }: { senderId: number; body: AskedOrder; now: number; mailing: Mailing },
  shownOf: (targets: readonly Target[]) => readonly Target[],
): Promise<ReadOrder | Problem> {
  const candidates = body.datetime_list ?? [];
  const problem = candidatesProblem(candidates, now);
  if (problem) return problem;
  const test = body.test_send_mode === 1;
  const daysFromLastday = body.days_from_lastday ?? DEFAULT_RESEND_DAYS;
  const { memberId } = account;
  const attackList = followUpTargets(body.attack_list, body.follow_up_of);
  const asked = { memberId, senderId, attackList, candidates, test, daysFromLastday, ...mailing };
  return account.snapshot(async (tx) => {
    const sendTo = await readSendTo(tx, account.id, { sendTo: body.send_to, followUpOf: body.follow_up_of });
    const run = await prepareRun(tx, account.id, { ...asked, sendTo }, now);
    if (run instanceof Problem) return run;
    const targets = shownOf(run.picked.targets);
    const ids = targets.flatMap(({ follows_id }) => follows_id ?? []);
    const followed = await readFollowedMails(tx, account.id, ids);
    const values = await mergeValuesOf(tx, account.id, targets.map(mergeTarget), mergeKeysOf(run.mail));
    const shown = targets.map((target) => ({
      ...target,
      follows: followed.get(target.follows_id ?? 0),
      merge_values: values.get(target.prospect_id) ?? null,
    }));
    const { mailbox_id } = run.sender;
    const maxBytes = await readMaxMailBytes(tx, mailbox_id === null ? null : { accountId: account.id, id: mailbox_id });
    return { run, shown, ...(await countUnproved(tx, account.id, run)), maxBytes, test };
  });
}

/** Returns the common answer of an order's preview and check; 400 if its example mails cannot be rendered. */
export function orderAnswer({ run, test, withoutSource, withoutMetOn }: ReadOrder) {
  const legal_faults = legalFaultsOfOrder(run, test);
  if (legal_faults instanceof Problem) return legal_faults;
  const skipped = run.picked.skipped.map(({ prospect_id, reason }) => ({ prospect_id, reason }));
  const met = withoutMetOn !== null && { without_met_on: withoutMetOn };
  return { total: run.picked.targets.length, skipped, legal_faults, without_source: withoutSource, ...met };
}

/**
 * Renders one mail of a list with the code that sends, without sending it.
 * Only the requested page is rendered: a mail takes about a millisecond, and a list has up to 1,000.
 * @param now epoch milliseconds
 * @returns the mail (null: the list has no target at this page), the number of targets and the skipped prospects; or
 * why an order of the list would be refused
 */
export async function previewMail(
  account: AccountDb,
  senderId: number,
  { pagenate_num: page, ...body }: z.output<(typeof previewCall)['body']>,
  now: number,
  mailing: Mailing,
): Promise<CallAnswer<typeof previewCall> | Problem> {
  const asked = { senderId, body, now, mailing };
  const order = await readOrder(account, asked, (targets) => targets.slice(page - 1, page));
  if (order instanceof Problem) return order;
  const [shown] = order.shown;
  const mail = shown ? renderPreview(order.run.mail, shown, order.maxBytes, now) : null;
  if (mail instanceof Problem) return mail;
  const answer = orderAnswer(order);
  return answer instanceof Problem ? answer : { ...answer, mail };
}

/** Counts the targets without a record of why they may be mailed: companies at their own address, and persons. */
async function countUnproved(tx: Tx, accountId: number, { legalState, picked }: PreparedRun) {
  const isOfPerson = ({ person_id }: Target) => person_id !== null;
  const ofPersons = picked.targets.filter(isOfPerson);
  const isPublished = legalState.legal.basis === 'published';
  return {
    withoutSource: isPublished
      ? await countWithoutSource(
          tx,
          accountId,
          picked.targets.filter((target) => !isOfPerson(target)),
        )
      : 0,
    withoutMetOn: ofPersons.length === 0 ? null : await countWithoutMetOn(tx, accountId, ofPersons),
  };
}

/** Counts persons without the day on which they gave their card. */
async function countWithoutMetOn(tx: Tx, accountId: number, targets: readonly Target[]): Promise<number> {
  const { count } = await tx
    .selectFrom('person')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${targets.map(({ person_id }) => person_id)}::bigint[])`)
    .where('met_on', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Counts companies that rely on a published address without an evidence URL. */
async function countWithoutSource(tx: Tx, accountId: number, targets: readonly Target[]): Promise<number> {
  const ids = targets.map(({ prospect_id }) => prospect_id);
  const { count } = await tx
    .selectFrom('prospect')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where(sql<boolean>`coalesce(published_at_url, '') = ''`)
    .executeTakeFirstOrThrow();
  return count;
}

/** Checks a sender's mails as a real order does, without an attack list. @returns 400 or 404 as an order */
export async function checkSender(
  account: AccountDb,
  senderId: number,
  now: number,
  mailing: Mailing,
): Promise<CallAnswer<typeof checkLegal> | Problem> {
  const { memberId } = account;
  const list = { attackList: [], candidates: [], test: false, daysFromLastday: 0, sendTo: 'company' as const };
  const asked = { memberId, senderId, ...list, ...mailing };
  const run = await account.snapshot((tx) => prepareRun(tx, account.id, asked, now));
  if (run instanceof Problem) return run;
  const faults = legalFaults(run);
  if (faults instanceof Problem) return faults;
  return { ready: asFlag(faults.every(({ level }) => level === 'warning')), faults };
}

function renderPreview(
  mail: RunMail,
  target: ShownTarget,
  maxBytes: number | null,
  now: number,
): FinishedMail | Problem {
  const rendered = tryRender(mail, target);
  if (rendered instanceof Problem) return rendered;
  const to = target.mail_to ?? '';
  return {
    prospect_id: target.prospect_id,
    company_name: target.company_name,
    ...rendered,
    from: { name: mail.sender.person_in_charge, address: mail.sender.email },
    to,
    warnings: [...mailWarnings(mail, target, rendered, now), ...sizeWarnings(mail, rendered, to, maxBytes)],
  };
}
