import { sql } from 'kysely';
import { takeSendGridEvents } from '#contract/answers/sendgrid-events.ts';
import { API_BASE } from '#contract/call.ts';
import { refusalAddress, returnAddress } from '#domain/mail/return-address.ts';
import type { Db } from '../../platform/database/db.ts';
import { PASSED_ON } from '../../platform/http/hosts.ts';
import { smtpLane } from '../../platform/mail/smtp/connection.ts';
import type { SmtpSettings } from '../../platform/mail/smtp/settings.ts';
import type { InboxMail } from '../inbox/inbox-mail.ts';
import { type HeldArrival, readNextHeld } from './held.queries.ts';
import { alone } from './moving.queries.ts';

export interface PassOnParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  /** null: an operator forwards the mails. */
  readonly smtp: SmtpSettings | null;
  /** Called for each arrival that the new home has accepted. */
  readonly onPassed: (kind: HeldArrival['kind']) => void;
  /** Called when a new home refuses an arrival; it is retried. */
  readonly onRefused: (why: { readonly accountId: number; readonly id: number; readonly answer: string }) => void;
}

/** An account that has moved and has held arrivals. */
interface Gone {
  readonly accountId: number;
  readonly home: string;
  /** The number of moves before it left. */
  readonly moves: number;
  readonly lateMailTo: string | null;
}

/**
 * Passes on the held arrivals of moved accounts, the oldest first, until the new home has answered.
 * A process that dies in between repeats one: each is idempotent.
 */
export async function passOn(parts: PassOnParts): Promise<void> {
  const { rows } = await sql<Gone>`
    SELECT id AS "accountId", moved_to AS home, moves, late_mail_to AS "lateMailTo" FROM account
    WHERE moved_to IS NOT NULL AND EXISTS (SELECT FROM held_arrival WHERE account_id = account.id)`.execute(parts.db);
  // One after the other: homes without an answer must not use up the worker's connections.
  for (const gone of rows) {
    const { accountId } = gone;
    await alone(parts.db, { accountId, what: 'passOn' }, (db) => passOnAll({ ...parts, db }, gone));
  }
}

/** The status of a home during a switch: the proxy's map still leads elsewhere, or the home is down. */
const AWAY = 'HTTP 503';

/** Arrivals that the home refuses wait, with later ones of the same reader. Others are passed on. */
async function passOnAll(parts: PassOnParts, gone: Gone): Promise<void> {
  const { db, smtp, onPassed, onRefused } = parts;
  const { accountId } = gone;
  const withoutMails = smtp === null || gone.lateMailTo === null;
  const refused = new Set<number | null>();
  let after = 0;
  for (;;) {
    const next = await readNextHeld(db, accountId, { withoutMails, after });
    if (next === null) return;
    after = next.id;
    const isAct = next.kind === 'refusal' || next.kind === 'undo';
    if (isAct && refused.has(next.deliveryId)) continue;
    let isAway = false;
    const answer = await passOnOne(parts, gone, next).catch((error: Error) => {
      isAway = true;
      return error.message;
    });
    if (answer !== null) {
      onRefused({ accountId, id: next.id, answer });
      if (isAway || answer === AWAY) return;
      if (isAct) refused.add(next.deliveryId);
      continue;
    }
    await db.deleteFrom('held_arrival').where('account_id', '=', accountId).where('id', '=', next.id).execute();
    onPassed(next.kind);
  }
}

/** @returns null: accepted; otherwise the new home's answer */
async function passOnOne({ db, smtp }: PassOnParts, gone: Gone, arrival: HeldArrival): Promise<string | null> {
  const { kind, head, body } = arrival;
  if (kind === 'events') return passOnEvents(gone, arrival);
  // A domain's test mail is dropped: its member repeats the test at the new home.
  if (arrival.deliveryId === null) return null;
  const mailKey = await keyOf(db, gone.accountId, arrival.deliveryId);
  if (mailKey === null) return 'its mail is not here';
  if (kind !== 'mail') {
    const path = `/u/${mailKey}${kind === 'undo' ? '/undo' : ''}`;
    const status = await post(gone, path, formOf(head as HeldRefusal), FORM);
    // 409: too late or too often for an undo, which is final. Other statuses may change.
    return status === 200 || status === 409 ? null : `HTTP ${status}`;
  }
  if (smtp === null || gone.lateMailTo === null) return 'no way for mails';
  const { kind: is } = head as { kind?: InboxMail['kind'] };
  const to = (is === 'refusal' ? refusalAddress : returnAddress)(gone.lateMailTo, mailKey);
  // Without a sender it would count as a robot's.
  const mark = `${PASSED_ON}: ${gone.moves}${is === 'reply' ? '; reply' : ''}\r\n`;
  return sendMail(smtp, to, Buffer.concat([Buffer.from(mark), body ?? Buffer.alloc(0)]));
}

async function keyOf(db: Db, accountId: number, deliveryId: number): Promise<string | null> {
  // One statement, because a concurrent delete of the account may move the mail from one table to the other.
  const { rows } = await sql<{ key: string }>`
    SELECT replace(mail_key::text, '-', '') AS key FROM delivery
    WHERE account_id = ${accountId} AND id = ${deliveryId}
    UNION ALL
    SELECT replace(mail_key::text, '-', '') FROM moved_mail
    WHERE account_id = ${accountId} AND delivery_id = ${deliveryId}`.execute(db);
  return rows[0]?.key ?? null;
}

interface HeldRefusal {
  readonly source?: string;
  readonly wholeDomain?: boolean;
  readonly reason?: string | null;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** The form as the page or a one-click client sent it. */
const formOf = ({ source, wholeDomain = false, reason = null }: HeldRefusal): string =>
  source === 'link'
    ? new URLSearchParams({
        way: 'link',
        ...(wholeDomain && { scope: 'domain' }),
        ...(reason && { reason }),
      }).toString()
    : 'List-Unsubscribe=One-Click';

/** Older events are dropped: SendGrid's signature has a timestamp, so that the new home may refuse them. */
const EVENTS_HOURS_MAX = 24;

async function passOnEvents(gone: Gone, { head, body, at }: HeldArrival): Promise<string | null> {
  const { signature = '', timestamp = '' } = head as { signature?: string; timestamp?: string };
  const status = await post(gone, `${API_BASE}${takeSendGridEvents.path}`, body ?? Buffer.from('[]'), {
    'content-type': 'application/json',
    'x-twilio-email-event-webhook-signature': signature,
    'x-twilio-email-event-webhook-timestamp': timestamp,
  });
  if (status === 200) return null;
  const isTooOld = (status === 401 || status === 404) && Date.now() - at > EVENTS_HOURS_MAX * 60 * 60 * 1000;
  return isTooOld ? null : `HTTP ${status}`;
}

const ANSWER_WITHIN_MS = 20_000;

const post = async (
  { home, moves }: Gone,
  path: string,
  body: string | Buffer<ArrayBufferLike>,
  headers: Record<string, string>,
): Promise<number> => {
  const answer = await fetch(`${home}${path}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: { ...headers, [PASSED_ON]: `${moves}` },
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  // An unread body would keep the connection open.
  await answer.body?.cancel();
  return answer.status;
};

/** Without an envelope sender, so that nothing bounces. Not signed, because it is not our mail. */
async function sendMail(smtp: SmtpSettings, to: string, message: Buffer): Promise<string | null> {
  const lane = smtpLane({ ...smtp, dkim: null });
  try {
    const outcome = await lane.send({ from: '', to, bcc: [] }, message, async () => true);
    return outcome.kind === 'sent' ? null : 'reply' in outcome ? outcome.reply : outcome.kind;
  } finally {
    lane.close();
  }
}
