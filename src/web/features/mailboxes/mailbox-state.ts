import { parseDateTime } from '#domain/time/tokyo-time.ts';
import { MINUTE_MS } from '#domain/time-units.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import type { Mailbox } from '#web/lib/data/mailboxes.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { MAILBOX_MESSAGES as messages } from './words.ts';

/** From this age on a mailbox counts as not read: one that takes refusals then sends nothing (decisions/mailboxes). */
const READ_AGE_MS = 60 * MINUTE_MS;

/** Returns when a mailbox that waits sends again; null: it does not wait. */
export function pausedUntil({ state, paused_until }: Mailbox): string | null {
  const at = paused_until === null ? null : parseDateTime(paused_until);
  return state !== 'ok' || paused_until === null || at === null || at <= serverNow() ? null : paused_until;
}

/** Says whether the answers in a mailbox are read. */
export function readsText({ state, reads_replies, read_at, read_fault }: Mailbox): string {
  const { on, off, stopped, soon } = messages.reads;
  if (reads_replies === 0 || state === 'off') return off;
  if (state !== 'ok' || read_fault !== null) return stopped;
  const at = read_at === null ? null : parseDateTime(read_at);
  if (at === null) return soon;
  return serverNow() - at > READ_AGE_MS ? stopped : on;
}

/** Returns why a mailbox sends or reads nothing now, and its server's answer. */
export function stateNotice(mailbox: Mailbox): readonly string[] {
  const { state, why, last_fault, reads_replies, read_fault } = mailbox;
  const until = pausedUntil(mailbox);
  const stops = [
    ...(state === 'reconnect' ? [messages.reconnectHelp] : []),
    ...(until !== null && why !== null ? [messages.pauseHelp[why](sentenceTime(until))] : []),
  ];
  return [
    ...stops,
    ...(stops.length > 0 && last_fault !== null ? [messages.serverReply(last_fault)] : []),
    ...(state === 'ok' && reads_replies === 1 && read_fault !== null
      ? [messages.readFaultHelp(asMessage(read_fault))]
      : []),
  ];
}
