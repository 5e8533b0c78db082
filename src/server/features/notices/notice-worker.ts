/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   delivery: notice_of_failed_mail → notice_event
 *   domain_check: notice_of_domain → notice_event
 *   installation: notice_of_rewind → notice_event
 *   job: notice_of_import → notice_event
 *   mailbox: notice_of_mailbox → notice_event
 *   member: add_notice_member → notice_member
 *   reply: notice_of_doubt, notice_of_reply → notice_event
 *   reservation: notice_of_miss → notice_event
 *   send_log: notice_of_end, notice_of_failures, notice_of_limit, notice_of_stop → notice_event
 *   suppression: notice_of_refusal → notice_event
 *   transport: notice_of_transport → notice_event
 */
import type { Logger } from 'pino';
import { LATEST_SUMMARY_HOUR, noticeRetryMinutes, SUMMARY_HOUR } from '#domain/account/notice.ts';
import { dayOf, minuteOfDay } from '#domain/time/tokyo-time.ts';
import type { Db } from '../../platform/database/db.ts';
import type { UrlOf } from '../../platform/http/hosts.ts';
import { startLoop } from '../../platform/loop.ts';
import type { Mailer, SystemOutcome } from '../../platform/mail/system-mail.ts';
import { foldEvents } from './fold-events.queries.ts';
import { countFailures, endRuns, missReservations } from './notice-facts.queries.ts';
import {
  claimMail,
  endMail,
  findDeadClaims,
  type MailClaim,
  type MailEnd,
  type SummaryDay,
} from './notice-mail.queries.ts';
import { noticeMail } from './notice-mail.ts';

export interface NoticeParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  /** Epoch milliseconds, for the hour of the summaries. */
  readonly now: () => number;
  readonly mailer: Mailer;
  /** The origin at which an account's members open the web client, without a slash at its end. */
  readonly urlOf: UrlOf;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

const FOLD_EVERY_MS = 2000;
const MAIL_EVERY_MS = 5000;

/**
 * Turns events into notices, and mails them. Any number of workers may run at once.
 * @returns a function that stops it
 */
export function startNoticeWorker(parts: NoticeParts): () => Promise<void> {
  const { db, log } = parts;
  const repeat = (task: string, everyMs: number, work: (stopping: AbortSignal) => Promise<void>) =>
    startLoop({
      log,
      task,
      async work(stopping) {
        await work(stopping);
        return everyMs;
      },
      retryMs: everyMs,
    });
  const loops = [
    repeat('make notices', FOLD_EVERY_MS, () => makeNotices(db)),
    repeat('mail notices', MAIL_EVERY_MS, (stopping) => mailNotices(parts, stopping)),
  ];
  return async () => {
    await Promise.all(loops.map(({ stop }) => stop()));
  };
}

/** Records the remaining facts, and makes notices of all events. */
export async function makeNotices(db: Db): Promise<void> {
  await endRuns(db);
  await missReservations(db);
  await countFailures(db);
  while (await foldEvents(db));
}

/** Sends the due mails one by one, each waiting for its mail server. */
export async function mailNotices(parts: NoticeParts, stopping?: AbortSignal): Promise<void> {
  for (const claim of await findDeadClaims(parts.db)) await end(parts, claim, WORKER_DIED);
  while (stopping?.aborted !== true) {
    const claim = await claimMail(parts.db, summaryDayAt(parts.now()));
    if (claim === null) return;
    if (claim.notices.length === 0 && claim.summary === null) continue;
    await end(parts, claim, await parts.mailer(noticeMail(claim, parts.urlOf(claim.accountId))));
  }
}

/** The result is unknown. Counts as a failed attempt, so that a mail that crashes its workers is given up some time. */
const WORKER_DIED: SystemOutcome = { kind: 'transport', reply: 'its worker died' };

function summaryDayAt(now: number): SummaryDay {
  const hour = minuteOfDay(now) / 60;
  return hour >= SUMMARY_HOUR && hour < LATEST_SUMMARY_HOUR ? dayOf(now) : null;
}

async function end({ db, log }: NoticeParts, claim: MailClaim, outcome: SystemOutcome): Promise<void> {
  const how = endOf(claim, outcome);
  if (how.kind === 'dropped') log.warn({ member: claim.memberId, outcome }, 'notice mail given up; the bell shows it');
  await endMail(db, claim, how);
}

/**
 * Returns how a mail's attempt ends its claim. A mail is retried until a server accepts or refuses it, or its attempts
 * are used up. One that may have arrived is sent once more, and then counts as sent: a server that never answers after
 * the final dot must not deliver it nine times.
 */
function endOf({ attempts, isLost }: MailClaim, { kind }: SystemOutcome): MailEnd {
  if (kind === 'sent') return { kind: 'sent' };
  const isOver = kind === 'failed' || (kind === 'unknown' && isLost);
  const minutes = isOver ? null : noticeRetryMinutes(attempts + 1);
  return minutes === null ? { kind: 'dropped' } : { kind: 'again', minutes, isLost: isLost || kind === 'unknown' };
}
