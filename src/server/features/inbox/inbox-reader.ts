/*
 * The reader of the mailbox that bounces and answers come back to:
 *
 * 1. Lease   inbox-row.queries: one worker at a time reads a mailbox.
 * 2. Look    imap-session opens it and returns the mails after the cursor. IDLE or a minute triggers the next look.
 *            A missing response is a fault (imap-dialog), and no look.
 * 3. Read    parse-beside: its type and the mail of ours that it names, in a thread with limits, one at a time.
 * 4. Take    take-mail.command: its effects, in one transaction. A repeated call changes nothing.
 * 5. Move    to INBOX_DONE, if it is set. A mail that cannot be moved stays.
 * 6. Cursor  moves after a few mails, which a killed reader repeats at most.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { isDatabaseUnavailable } from '../../platform/database/db.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { JudgeTest } from '../domain-health/self-test.command.ts';
import { InboxError } from './imap-dialog.ts';
import type { FoundMail, InboxSession } from './imap-session.ts';
import { NO_ENVELOPE } from './inbox-mail.ts';
import {
  advanceCursor,
  type InboxReader,
  leaseInbox,
  readSince,
  recordFault,
  recordLook,
  releaseInbox,
  resetCursor,
} from './inbox-row.queries.ts';
import { judgeBeside, type MailThread, type ParsedBeside, type ParseParts, readBeside } from './parse-beside.ts';
import { type InboxServices, type Taken, takeOrHold } from './take-mail.command.ts';

export interface InboxReaderParts extends InboxServices {
  /** The mailbox's name in the database. */
  readonly name: string;
  /** @param stopping the reader stops */
  readonly open: (stopping: AbortSignal) => Promise<InboxSession>;
  /** The setting RETURN_ADDRESS. */
  readonly returnPattern: string | null;
  /** The thread that parses the mails. */
  readonly thread: MailThread;
  /** The resolvers for domain test mails; none: the system's. */
  readonly dnsServers: readonly string[];
  readonly log: FastifyBaseLogger;
  readonly metrics?: Metrics | undefined;
  /** The wait after a first fault. It doubles after each further one. */
  readonly retryMs?: number;
  /** How often the lease is renewed, or requested while another worker reads the mailbox. */
  readonly leaseEveryMs?: number;
  /** The interval of looks without news. */
  readonly lookEveryMs?: number;
}

/** Looks also without news, because IDLE may fail silently. */
const LOOK_EVERY_MS = 60_000;
/** Mails that are processed concurrently: each waits for its own commit. */
const TAKEN_AT_ONCE = 5;
const TAKE_TRIES = 3;
const LEASE_EVERY_MS = 10_000;
const RETRY_MS = 5000;
const RETRY_MS_MAX = 10 * 60_000;

/** Reads the mailbox until stopped. @returns how to stop it */
export function startInboxReader(parts: InboxReaderParts): () => Promise<void> {
  const stopping = new AbortController();
  const reader = { name: parts.name, workerId: randomUUID() };
  const ended = readUntilStopped(parts, reader, stopping.signal);
  return () => {
    stopping.abort();
    return ended;
  };
}

async function readUntilStopped(parts: InboxReaderParts, reader: InboxReader, stopping: AbortSignal): Promise<void> {
  const { db, log, retryMs = RETRY_MS, leaseEveryMs = LEASE_EVERY_MS } = parts;
  let faults = 0;
  while (!stopping.aborted) {
    let waitMs = leaseEveryMs;
    try {
      if (await leaseInbox(db, reader)) {
        await readWhileLeased(parts, reader, stopping, () => {
          faults = 0;
        });
      }
    } catch (error) {
      // The stop has closed the session.
      if (stopping.aborted) break;
      waitMs = Math.min(retryMs * 2 ** faults, RETRY_MS_MAX);
      faults += 1;
      log.error({ err: error, retryAfterMs: waitMs }, 'could not read the inbox; retrying, and sending goes on');
      await noteFault(parts, reader, error);
    }
    await sleep(waitMs, undefined, { signal: stopping, ref: false }).catch(() => undefined);
  }
  await releaseInbox(db, reader).catch((error: unknown) =>
    log.warn({ err: error }, 'could not release the inbox; another worker takes it when its lease ends'),
  );
}

async function noteFault({ db, log }: InboxReaderParts, reader: InboxReader, error: unknown): Promise<void> {
  const isOurs = error instanceof InboxError;
  if (!isOurs && isDatabaseUnavailable(error)) return;
  await recordFault(db, reader, isOurs ? error.fault : 'other').catch((fault: unknown) =>
    log.error({ err: fault }, 'could not record the fault of the inbox'),
  );
}

/** Opens the mailbox and reads it, look by look. Returns when the lease is lost or the reader stops. */
async function readWhileLeased(
  parts: InboxReaderParts,
  reader: InboxReader,
  stopping: AbortSignal,
  onLook: () => void,
): Promise<void> {
  const { db, lookEveryMs = LOOK_EVERY_MS } = parts;
  const session = await parts.open(stopping);
  stopping.addEventListener('abort', session.close, { once: true });
  try {
    for (let isOpen = true; isOpen; isOpen = !stopping.aborted) {
      if (!(await readNew(parts, reader, session, stopping))) return;
      await recordLook(db, reader);
      onLook();
      // A mail or the next look.
      await whileLeased(parts, reader, (fault) => session.waitForMail(lookEveryMs, AbortSignal.any([stopping, fault])));
    }
  } finally {
    stopping.removeEventListener('abort', session.close);
    session.close();
  }
}

/**
 * Keeps the lease while `work` runs.
 * @param work gets a signal that a failed renewal aborts; that fault is thrown afterwards
 */
async function whileLeased<Result>(
  { db, leaseEveryMs = LEASE_EVERY_MS }: InboxReaderParts,
  reader: InboxReader,
  work: (fault: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const [ended, faulty] = [new AbortController(), new AbortController()];
  const renewed = (async () => {
    while (!ended.signal.aborted) {
      await sleep(leaseEveryMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
      if (!ended.signal.aborted) await leaseInbox(db, reader);
    }
  })();
  renewed.catch((error: unknown) => faulty.abort(error));
  try {
    return await work(faulty.signal);
  } finally {
    ended.abort();
    await renewed;
  }
}

/** Reads all mails after the cursor. @returns false: another worker has the mailbox now, or the reader is stopping */
async function readNew(
  parts: InboxReaderParts,
  reader: InboxReader,
  session: InboxSession,
  stopping: AbortSignal,
): Promise<boolean> {
  while (!stopping.aborted) {
    const cursor = await leaseInbox(parts.db, reader);
    if (!cursor) return false;
    if (cursor.uidValidity !== session.uidValidity) {
      const before = await session.uidBefore(await readSince(parts.db));
      await resetCursor(parts.db, reader, session.uidValidity, before);
      continue;
    }
    const mails = await session.mailsAfter(cursor.lastUid);
    if (mails.length === 0) return true;
    for (let next = 0; next < mails.length; next += TAKEN_AT_ONCE) {
      const few = mails.slice(next, next + TAKEN_AT_ONCE);
      await whileLeased(parts, reader, () => takeFound(parts, reader, session, few, stopping));
    }
  }
  return false;
}

async function takeFound(
  parts: InboxReaderParts,
  reader: InboxReader,
  session: InboxSession,
  mails: readonly FoundMail[],
  stopping: AbortSignal,
): Promise<void> {
  const { db, thread, returnPattern: pattern } = parts;
  const read: ReadMail[] = [];
  for (const { uid, source } of mails) {
    const parse = { mailbox: reader.name, mail: `${session.uidValidity}:${uid}`, workerId: reader.workerId };
    const beside = { db, thread, parse, stopping };
    read.push({ uid, source, beside, ...(await readBeside(beside, { source, pattern, envelope: NO_ENVELOPE })) });
  }
  const taken = await Promise.all(read.map((mail) => takeOrSkip(parts, mail, stopping)));
  for (const kind of taken) parts.metrics?.inboxMails.inc({ kind });
  const done = mails.flatMap(({ uid }, index) => (isDone(taken[index]) ? [uid] : []));
  if (!(await session.moveDone(done))) {
    parts.log.warn({ uids: done }, 'could not move mails of the inbox to INBOX_DONE; they stay where they are');
  }
  const count = (wanted: Taken) => taken.filter((kind) => kind === wanted).length;
  const [unmatched, skipped] = [count('unmatched'), count('unreadable')];
  await advanceCursor(parts.db, reader, { uid: mails.at(-1)?.uid ?? 0, mails: mails.length, unmatched, skipped });
}

interface ReadMail extends FoundMail, ParsedBeside {
  readonly beside: ParseParts;
}

/** Whether a mail is done. Mails that people may want to see stay in the mailbox. */
const isDone = (taken: Taken | undefined): boolean =>
  taken !== undefined && taken !== 'unmatched' && taken !== 'ignored' && taken !== 'unreadable';

/** Processes one mail. One that fails counts as unreadable and stays, so that others are not delayed. */
async function takeOrSkip(parts: InboxReaderParts, mail: ReadMail, stopping: AbortSignal): Promise<Taken> {
  const { uid, why } = mail;
  try {
    const taken = await takeAgain(parts, mail, stopping);
    if (why === null) return taken;
    parts.log.error({ uid, why, taken }, 'could not parse a mail of the inbox; only its header was read, and it stays');
    return 'unreadable';
  } catch (error) {
    if (stopping.aborted || isDatabaseUnavailable(error)) throw error;
    parts.log.error({ err: error, uid }, 'could not apply a mail of the inbox; skipping it');
    return 'unreadable';
  }
}

/** Processes a mail, again after a transient error: a deadlock, or a cancelled statement. */
async function takeAgain(
  parts: InboxReaderParts,
  { uid, source, mail, beside }: ReadMail,
  stopping: AbortSignal,
): Promise<Taken> {
  const { dnsServers, log, retryMs = RETRY_MS } = parts;
  for (let tries = 1; ; tries += 1) {
    try {
      const judge: JudgeTest = (domain) => judgeBeside(beside, { source, domain, dnsServers });
      return await takeOrHold(parts, mail, judge, { source, envelope: NO_ENVELOPE });
    } catch (error) {
      if (tries === TAKE_TRIES || stopping.aborted || isDatabaseUnavailable(error)) throw error;
      log.warn({ err: error, uid }, 'could not apply a mail of the inbox; retrying');
      await sleep(retryMs, undefined, { signal: stopping, ref: false });
    }
  }
}
