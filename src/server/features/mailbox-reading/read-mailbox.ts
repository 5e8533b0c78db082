import type { FastifyBaseLogger } from 'fastify';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { isDatabaseUnavailable } from '../../platform/database/db.ts';
import { isAccountFrozen } from '../../platform/database/frozen.ts';
import { isTooLarge } from '../inbox/imap-dialog.ts';
import type { MailThread } from '../inbox/parse-beside.ts';
import type { InboxServices } from '../inbox/take-mail.command.ts';
import { type Candidate, findCandidates } from './candidates.ts';
import type { FoundFields, MailboxSession } from './mailbox-session.ts';
import { type MailboxCursor, type MailboxReaderKey, readCursor, recordLook } from './reading.queries.ts';
import { type FetchedCandidate, takeCandidate, takeRefusal } from './take-candidate.command.ts';

export interface ReadParts {
  readonly services: InboxServices;
  readonly thread: MailThread;
  readonly log: FastifyBaseLogger;
}

/** A mailbox that is read now. */
export interface ReadTarget {
  readonly key: MailboxReaderKey;
  readonly account: AccountDb;
  /** Of its addresses, in the form of addressKey. */
  readonly keys: readonly string[];
  readonly session: MailboxSession;
  /** Aborted at the stop, and when another worker reads the mailbox. */
  readonly stopping: AbortSignal;
}

/** A reader's memory of a mailbox between looks. */
export interface LookState {
  cursor: MailboxCursor | null;
  /** When the look was last recorded, in milliseconds of performance.now(). */
  recordedAt: number;
  /** Something changed that no look has recorded, or the last record is old. */
  isUnrecorded: boolean;
  /** Mails whose fields are fetched together. */
  atOnce: number;
}

/** The memory before the first look. */
export const newLookState = (): LookState => ({
  cursor: null,
  recordedAt: Number.NEGATIVE_INFINITY,
  isUnrecorded: false,
  atOnce: FIELDS_AT_ONCE,
});

/** The clock of the mailbox's server may be late by so much. */
const CLOCK_MS_MAX = 5 * 60_000;
/** Mails whose fields are fetched together: 500 of the largest take 8 MB. */
const FIELDS_AT_ONCE = 500;
/** Mails that are fetched together, of 256 KiB at most. */
const MAILS_AT_ONCE = 20;
/** Afterwards other mailboxes have their turn: mails may arrive faster than they are read. */
const TURN_MS = 30_000;
/** Between two writes of a mailbox in which nothing concerns us. A killed reader reads the same fields again. */
export const RECORD_EVERY_MS = 10 * 60_000;

/** read: up to the end; more: the time was over before; left: another worker reads the mailbox, or the reader stops. */
export type Looked = 'read' | 'more' | 'left';

/**
 * Reads what is new in a mailbox, and records the look if it changed something, or not lately.
 * @param turnMs after so many milliseconds the rest is left to another look
 */
export async function lookAt(
  parts: ReadParts,
  target: ReadTarget,
  state: LookState,
  turnMs = TURN_MS,
): Promise<Looked> {
  const { services } = parts;
  const { key, session, stopping } = target;
  const until = performance.now() + turnMs;
  if (!(await beginLook(services, target, state)) || state.cursor === null) return 'left';
  let { lastUid } = state.cursor;
  const from = state.cursor.since.getTime() - CLOCK_MS_MAX;
  for (let uids = await session.uidsAfter(lastUid); uids.length > 0; ) {
    if (stopping.aborted) return 'left';
    const some = uids.slice(0, state.atOnce);
    const taken = await readSome(parts, target, some, { from, until }).catch(async (error: unknown) => {
      if (isTooLarge(error)) await skipTooLarge(parts, target, state, some);
      throw error;
    });
    state.isUnrecorded ||= taken.isChanged;
    lastUid = taken.lastUid;
    state.cursor = { ...state.cursor, lastUid };
    // Those behind are gone, or the server does not return the next one, which the next turn reports.
    uids = lastUid === some.at(-1) ? uids.slice(some.length) : await session.uidsAfter(lastUid);
    if (uids.length > 0 && performance.now() >= until) return 'more';
  }
  state.atOnce = FIELDS_AT_ONCE;
  if (stopping.aborted) return 'left';
  if (!state.isUnrecorded) return 'read';
  state.recordedAt = performance.now();
  state.isUnrecorded = false;
  return (await recordLook(services.db, key, { uidValidity: session.uidValidity, lastUid })) ? 'read' : 'left';
}

/**
 * Lets the next look read what comes before a mail whose fields are larger than a server may send at once, one by one,
 * and the look after that what follows. The connection has ended.
 * @param some whose fields were asked for
 */
async function skipTooLarge(
  { services, log }: ReadParts,
  { key, session: { uidValidity } }: ReadTarget,
  state: LookState,
  some: readonly number[],
): Promise<void> {
  const [first] = some;
  const isAlone = some.length === 1;
  state.atOnce = isAlone ? FIELDS_AT_ONCE : 1;
  const lastUid = isAlone ? first : state.cursor?.lastUid;
  if (lastUid !== undefined) await recordLook(services.db, key, { uidValidity, lastUid });
  const at = { accountId: key.accountId, mailbox: key.id };
  if (isAlone) log.warn(at, 'skipping a mail whose header is larger than a server may send at once');
}

/** Reads how far the mailbox was read, unless it is known. @returns false: another worker reads the mailbox now */
async function beginLook(services: InboxServices, { key, session }: ReadTarget, state: LookState): Promise<boolean> {
  state.cursor ??= await readCursor(services.db, key);
  if (state.cursor === null) return false;
  state.isUnrecorded ||= state.recordedAt + RECORD_EVERY_MS <= performance.now();
  if (state.cursor.uidValidity === session.uidValidity) return true;
  const lastUid = await session.uidBefore(state.cursor.since);
  state.cursor = { ...state.cursor, uidValidity: session.uidValidity, lastUid };
  state.isUnrecorded = true;
  return true;
}

/** `lastUid`: of the last mail that was read. `isChanged`: some were about ours. */
interface TakenMails {
  readonly isChanged: boolean;
  readonly lastUid: number;
}

/** Reads mails, and takes those that are about ours. @param limits `from`: older ones are not read; `until`: the end */
async function readSome(
  parts: ReadParts,
  target: ReadTarget,
  uids: readonly number[],
  { from, until }: { readonly from: number; readonly until: number },
): Promise<TakenMails> {
  const found = await target.session.fieldsOf(uids);
  const isNew = ({ receivedAt }: FoundFields) => receivedAt >= from;
  const lastUid = found.at(-1)?.uid ?? uids.at(-1) ?? 0;
  return takeFound(parts, target, { found: found.filter(isNew), lastUid, until });
}

interface FoundMails {
  readonly found: readonly FoundFields[];
  readonly lastUid: number;
  readonly until: number;
}

/** Takes those of the mails that are about ours. */
async function takeFound(
  parts: ReadParts,
  target: ReadTarget,
  { found, lastUid, until }: FoundMails,
): Promise<TakenMails> {
  const { account, keys, session, stopping } = target;
  const candidates = await findCandidates(account, keys, found);
  for (let next = 0; next < candidates.length; next += MAILS_AT_ONCE) {
    const some = candidates.slice(next, next + MAILS_AT_ONCE);
    const [first] = some;
    if (next > 0 && first && performance.now() >= until) return { isChanged: true, lastUid: first.uid - 1 };
    const wanted = some.flatMap(({ kind, uid }) => (kind === 'refusal' ? [] : uid));
    const sources = await fetchMails(session, wanted);
    for (const candidate of some) {
      stopping.throwIfAborted();
      await takeOrSkip(parts, target, candidate, sources.get(candidate.uid));
    }
  }
  return { isChanged: candidates.length > 0, lastUid };
}

/** Fetches mails, without those that are gone. @throws InboxError for one that the server does not return */
async function fetchMails(session: MailboxSession, uids: readonly number[]): Promise<ReadonlyMap<number, Uint8Array>> {
  const sources = new Map<number, Uint8Array>();
  for (let left = uids; left.length > 0; ) {
    const mails = await session.mailsOf(left);
    for (const { uid, source } of mails) sources.set(uid, source);
    const last = mails.at(-1)?.uid ?? Infinity;
    left = left.filter((uid) => uid > last);
  }
  return sources;
}

/** Takes a candidate, unless it was removed meanwhile. One that fails is skipped, so that others are not delayed. */
async function takeOrSkip(
  parts: ReadParts,
  { key, session, stopping }: ReadTarget,
  candidate: Candidate,
  source: Uint8Array | undefined,
): Promise<void> {
  const { services, thread, log } = parts;
  const { accountId, id, workerId } = key;
  const { uid } = candidate;
  for (let tries = 1; ; tries += 1) {
    try {
      if (candidate.kind === 'refusal') await takeRefusal(services, accountId, candidate.key);
      else if (source) {
        const parse = { mailbox: `mailbox ${accountId}:${id}`, mail: `${session.uidValidity}:${uid}`, workerId };
        const fetched: FetchedCandidate = { ...candidate, source };
        await takeCandidate({ services, accountId, thread, parse, stopping }, fetched);
      }
      return;
    } catch (error) {
      if (stopping.aborted || isDatabaseUnavailable(error) || isAccountFrozen(error)) throw error;
      if (tries < TAKE_TRIES) continue;
      log.error({ err: error, accountId, mailbox: id, uid }, 'could not apply a mail of a mailbox; skipping it');
      return;
    }
  }
}

/** A deadlock or a cancelled statement passes. */
const TAKE_TRIES = 3;
