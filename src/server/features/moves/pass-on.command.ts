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
  /** null: mails are forwarded by hand. */
  readonly smtp: SmtpSettings | null;
  /** Called for each arrival that the new home has taken. */
  readonly onPassed: (kind: HeldArrival['kind']) => void;
  /** Called where a new home does not take an arrival; it is tried again. */
  readonly onRefused: (why: { readonly accountId: number; readonly id: number; readonly answer: string }) => void;
}

/** An account that has moved, and of which something is held. */
interface Gone {
  readonly accountId: number;
  readonly home: string;
  /** How many moves it had behind it when it left. */
  readonly moves: number;
  readonly lateMailTo: string | null;
}

/**
 * Passes on what has come for accounts that have moved, the oldest first, until the new home has answered.
 * A process that dies in between repeats one: each is idempotent.
 */
export async function passOn(parts: PassOnParts): Promise<void> {
  const { rows } = await sql<Gone>`
    SELECT id AS "accountId", moved_to AS home, moves, late_mail_to AS "lateMailTo" FROM account
    WHERE moved_to IS NOT NULL AND EXISTS (SELECT FROM held_arrival WHERE account_id = account.id)`.execute(parts.db);
  // One after the other: homes that do not answer must not take the connections of the worker.
  for (const gone of rows) {
    const { accountId } = gone;
    await alone(parts.db, { accountId, what: 'passOn' }, (db) => passOnAll({ ...parts, db }, gone));
  }
}

/** The answer of a home that is on its way: the map leads to another server yet, or it is down. */
const AWAY = 'HTTP 503';

/** What the home refuses waits, and so do later acts of the same reader; the rest goes on. */
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

/** @returns null: it is taken; else what the new home answered */
async function passOnOne({ db, smtp }: PassOnParts, gone: Gone, arrival: HeldArrival): Promise<string | null> {
  const { kind, head, body } = arrival;
  if (kind === 'events') return passOnEvents(gone, arrival);
  // A test mail of a domain: its member repeats the test there.
  if (arrival.deliveryId === null) return null;
  const mailKey = await keyOf(db, gone.accountId, arrival.deliveryId);
  if (mailKey === null) return 'its mail is not here';
  if (kind !== 'mail') {
    const path = `/u/${mailKey}${kind === 'undo' ? '/undo' : ''}`;
    const status = await post(gone, path, formOf(head as HeldRefusal), FORM);
    // 409: too late or too often for an undo. Anything else may change.
    return status === 200 || status === 409 ? null : `HTTP ${status}`;
  }
  if (smtp === null || gone.lateMailTo === null) return 'no way for mails';
  const { kind: is } = head as { kind?: InboxMail['kind'] };
  const to = (is === 'refusal' ? refusalAddress : returnAddress)(gone.lateMailTo, mailKey);
  // Without a sender it would be taken for a robot's.
  const mark = `${PASSED_ON}: ${gone.moves}${is === 'reply' ? '; reply' : ''}\r\n`;
  return sendMail(smtp, to, Buffer.concat([Buffer.from(mark), body ?? Buffer.alloc(0)]));
}

async function keyOf(db: Db, accountId: number, deliveryId: number): Promise<string | null> {
  // One statement: a delete of the account may take the mail from one table to the other at this moment.
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

/** As the page or a one-click client sent it. */
const formOf = ({ source, wholeDomain = false, reason = null }: HeldRefusal): string =>
  source === 'link'
    ? new URLSearchParams({
        way: 'link',
        ...(wholeDomain && { scope: 'domain' }),
        ...(reason && { reason }),
      }).toString()
    : 'List-Unsubscribe=One-Click';

/** The new home may not be able to verify older ones: SendGrid's signature has a time. */
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
  // Unread, it would hold the connection.
  await answer.body?.cancel();
  return answer.status;
};

/** Without an envelope sender: nothing comes back. Not signed: it is not ours. */
async function sendMail(smtp: SmtpSettings, to: string, message: Buffer): Promise<string | null> {
  const lane = smtpLane({ ...smtp, dkim: null });
  try {
    const outcome = await lane.send({ from: '', to, bcc: [] }, message, async () => true);
    return outcome.kind === 'sent' ? null : 'reply' in outcome ? outcome.reply : outcome.kind;
  } finally {
    lane.close();
  }
}
