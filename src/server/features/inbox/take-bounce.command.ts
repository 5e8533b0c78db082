import { bounceClass, isStoppedByPolicy } from '#domain/mail/bounce-class.ts';
import type { DeliveryState } from '#domain/sending/delivery-state.ts';
import type { Tx } from '../../platform/database/db.ts';
import { printable } from '../../platform/mail/outcome.ts';
import { deliveryAfter, type LaterVerdict } from '../delivery/after-sending/delivery-after.ts';
import {
  type LaterDelivery,
  lockDeliveries,
  writeDeliveries,
} from '../delivery/after-sending/later-verdicts.queries.ts';
import { recallMails } from '../delivery/after-sending/recall.queries.ts';
import { lockRun, pauseRun } from '../delivery/queue/run-rows.queries.ts';
import { holdRamp } from '../sending-rules/day-limits.queries.ts';
import { suppressAddresses } from '../suppressions/write-suppressions.queries.ts';
import type { InboxMail, RecipientReport } from './inbox-mail.ts';
import {
  countPolicyBounces,
  hasFailedSoftly,
  type MatchedKey,
  type MatchedMail,
  readMatched,
  storeBounce,
} from './matched-mail.queries.ts';

/** States of mails that a server has received. A queued mail here is one to be sent again. */
const SENT_STATES: readonly DeliveryState[] = ['sending', 'sent', 'unknown', 'failed'];

/**
 * Applies what servers report about a mail. Doing it again changes nothing.
 * @param isNamed only a report counts that names the mail's recipient
 * @returns false where no report is about a mail that we may believe it of
 */
export async function takeReports(
  tx: Tx,
  key: MatchedKey,
  { reports, arrivedAt, hash }: Pick<Extract<InboxMail, { kind: 'bounce' }>, 'reports' | 'arrivedAt' | 'hash'>,
  now: number,
  isNamed = false,
): Promise<boolean> {
  await recallMails(tx, key.accountId, [key.deliveryId]);
  const mail = await readMatched(tx, key);
  const report = mail && reportAbout(mail, reports, isNamed);
  if (!report) return false;
  const found = report.action === 'failed' ? bounceClass(report) : null;
  // The run is locked before its mails, as everywhere.
  if (found === 'policy') await lockRun(tx, { accountId: key.accountId, id: mail.sendLogId });
  const [row] = await lockDeliveries(tx, key.accountId, [key.deliveryId]);
  // Its person may have been erased, or its company moved, while this waited for the lock.
  if (row?.address !== mail.address || !isBelieved(row, now)) return false;
  const reply = replyOf(report);
  if (found === null) {
    const verdict: LaterVerdict = { kind: 'accepted', reply, deliveredAt: new Date(now) };
    // A mail that is being sent gets its result, and its contact, from its worker.
    if (row.state !== 'sending') await applyVerdict(tx, key.accountId, row, verdict, { arrivedAt });
    return true;
  }
  const bounce = { class: found, status: report.status, reply, isForwarded: report.isForwarded, hash };
  const stored = await storeBounce(tx, key, mail, bounce);
  if (stored === 'known') return true;
  const how = { arrivedAt, mayHaveArrived: report.isForwarded };
  await applyVerdict(tx, key.accountId, row, { kind: 'refused', reply }, how);
  if (row.test) return true;
  if (found === 'policy' && stored === 'first') await pauseBouncingRun(tx, key.accountId, mail.sendLogId);
  await suppressDead(tx, key, mail, bounce);
  return true;
}

interface OwnReport extends RecipientReport {
  /** The recipient's names: ours, and those that a server reports. */
  readonly recipients: readonly string[];
  /** The report concerns an address that we did not mail, because the mail was forwarded there. */
  readonly isForwarded: boolean;
}

const namesOf = ({ finalRecipient, originalRecipient }: RecipientReport): string[] =>
  [finalRecipient, originalRecipient].filter((name) => name !== null);

/** Returns the report about a mail's recipient. Reports about its copies do not count. */
function reportAbout(
  { address, ownAddresses }: MatchedMail,
  reports: readonly RecipientReport[],
  isNamed: boolean,
): OwnReport | null {
  const isUnnamed = (report: RecipientReport) => namesOf(report).length === 0;
  const named = reports.find((report) => namesOf(report).includes(address));
  const own = named ?? (isNamed ? undefined : reports.find(isUnnamed));
  if (own) return { ...own, isForwarded: false, recipients: [address, ...namesOf(own)] };
  if (isNamed) return null;
  const other = reports.find((report) => !namesOf(report).some((name) => ownAddresses.includes(name)));
  return other ? { ...other, isForwarded: true, recipients: namesOf(other) } : null;
}

const replyOf = ({ status, text }: RecipientReport): string =>
  printable([status, text].filter(Boolean).join(' ')) || 'no reason given';

/** A later report is not believed: no server retries for that long. */
const REPORT_DAYS_MAX = 30;
const DAY_MS = 86_400_000;

const REPORTED_STATES: readonly DeliveryState[] = [...SENT_STATES, 'queued', 'claimed'];

const isBelieved = ({ state, finishedAt }: LaterDelivery, now: number): boolean =>
  REPORTED_STATES.includes(state) && (finishedAt === null || now - finishedAt.getTime() < REPORT_DAYS_MAX * DAY_MS);

/**
 * Checks whether the reporting server had received the mail before it was queued for its last attempt.
 * The report then does not concern that attempt. Servers write whole seconds.
 */
const isOfEarlierTry = ({ requeuedAt }: LaterDelivery, arrivedAt: number | null): boolean =>
  requeuedAt !== null && arrivedAt !== null && arrivedAt < Math.floor(requeuedAt.getTime() / 1000) * 1000;

/** A mail that waits to be sent again keeps its state: only its address is judged, which the claim checks. */
async function applyVerdict(
  tx: Tx,
  accountId: number,
  row: LaterDelivery,
  verdict: LaterVerdict,
  { arrivedAt, ...how }: { readonly arrivedAt: number | null; readonly mayHaveArrived?: boolean },
): Promise<void> {
  if (!SENT_STATES.includes(row.state) || isOfEarlierTry(row, arrivedAt)) return;
  const after = deliveryAfter(row, verdict, row.claimNo);
  if (after !== row) await writeDeliveries(tx, accountId, [{ row, after }], how);
}

const SOFT_REASON = '3回続けて届きませんでした';

/** Suppresses an address that does not exist, or that bounced several times in a row. */
async function suppressDead(
  tx: Tx,
  { accountId, deliveryId }: MatchedKey,
  mail: MatchedMail,
  bounce: { readonly class: string; readonly reply: string; readonly isForwarded: boolean },
): Promise<void> {
  // Another address failed: the one to which the mail was forwarded.
  if (bounce.isForwarded) return;
  const isSoft = bounce.class === 'soft' || bounce.class === 'filtered';
  const isDead = bounce.class === 'hard' || (isSoft && (await hasFailedSoftly(tx, accountId, mail)));
  if (!isDead) return;
  const reason = isSoft ? SOFT_REASON : bounce.reply;
  const { address } = mail;
  await suppressAddresses(tx, [{ accountId, address, reason, class: 'undeliverable', source: 'dsn', deliveryId }]);
}

/**
 * Pauses a run when its bounces by policy exceed the limit.
 * Only once: whoever resumes the run has read why.
 */
async function pauseBouncingRun(tx: Tx, accountId: number, id: number): Promise<void> {
  const count = await countPolicyBounces(tx, accountId, id);
  if (!count?.hasUnsent) return;
  const { bounces, targets } = count;
  if (!isStoppedByPolicy(bounces, targets) || isStoppedByPolicy(bounces - 1, targets)) return;
  const run = await lockRun(tx, { accountId, id });
  if (run?.paused_by !== null || run.cancelled) return;
  // Locks the limit's row before those of mails, as a claim does.
  await holdRamp(tx, { accountId, sendLogId: id });
  await pauseRun(tx, { accountId, id }, 'policy_bounces');
}
