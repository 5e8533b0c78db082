/*
 * The reader of the mailboxes of members, in which their mails are answered (decisions/mailbox-reading):
 *
 * 1. Lease      reading.queries: one worker at a time reads a mailbox. All its leases are renewed in one statement.
 * 2. Look       mailbox-session opens it. Of the first mailboxes IDLE announces mails, of the others a look finds them.
 * 3. Fields     candidates: which mails may be about ours, by a few fields. Of the others nothing more is read.
 * 4. Take       take-candidate.command: the whole mail, in the thread of the inbox, and its effects.
 * 5. Cursor     is written where something changed, and every ten minutes.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressKey } from '#domain/mail/address-key.ts';
import { isDatabaseUnavailable } from '../../platform/database/db.ts';
import { isAccountFrozen } from '../../platform/database/frozen.ts';
import { startLoop } from '../../platform/loop.ts';
import { printable } from '../../platform/mail/outcome.ts';
import type { Credentials } from '../../platform/mail/smtp/settings.ts';
import { InboxError } from '../inbox/imap-dialog.ts';
import { type Mailbox, readMailbox } from '../mailboxes/mailbox.queries.ts';
import { type MailboxServices, mailboxLogIn } from '../mailboxes/mailbox-log-in.ts';
import { refusedLogIn } from './log-in-reply.ts';
import type { MailboxSession } from './mailbox-session.ts';
import { type LookState, lookAt, newLookState, type ReadParts } from './read-mailbox.ts';
import {
  LEASE_SECONDS,
  type LeasedMailbox,
  leaseMailboxes,
  type MailboxReaderKey,
  recordReadFault,
  recordRefusedLogIn,
  releaseMailboxes,
} from './reading.queries.ts';

export interface MailboxReaderParts extends ReadParts {
  readonly mailboxes: MailboxServices;
  /** @param place the server of the mailbox @param stopping the reading stops */
  readonly open: (
    place: { readonly host: string; readonly credentials: Credentials },
    stopping: AbortSignal,
  ) => Promise<MailboxSession>;
  /** The most mailboxes of a worker that have an open connection. */
  readonly idleMax?: number;
  readonly leaseEveryMs?: number;
  /** The interval of looks without news. */
  readonly lookEveryMs?: number;
  /** After so many milliseconds the rest of a look waits for its next turn. */
  readonly turnMs?: number;
  /** The wait after a first fault. It doubles after each further one. */
  readonly retryMs?: number;
}

/** The most mailboxes of a worker. */
const MAILBOXES_MAX = 1000;
const IDLE_MAX = 100;
/** Mailboxes that are looked at concurrently, besides those that wait in IDLE. */
const LOOKS_AT_ONCE = 10;
/** Of these, those of one account: its servers may be slow. */
const LOOKS_OF_ACCOUNT = 5;
const LEASE_EVERY_MS = 40_000;
const LOOK_EVERY_MS = 5 * 60_000;
/** A server that refuses a log-in is asked again no earlier. */
const RETRY_MS = 60_000;
const RETRY_MS_MAX = 10 * 60_000;
/** A reader that could not renew its leases stops before they end. */
const HELD_MS_MAX = (LEASE_SECONDS - 20) * 1000;

interface Reading {
  readonly version: number;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Reads members' mailboxes until stopped. @returns how to stop it */
export function startMailboxReader(parts: MailboxReaderParts): () => Promise<void> {
  const { services, log, mailboxes, leaseEveryMs = LEASE_EVERY_MS, idleMax = IDLE_MAX } = parts;
  const workerId = randomUUID();
  const readings = new Map<string, Reading>();
  const shared: Shared = { workerId, looks: turnsOf(LOOKS_AT_ONCE, LOOKS_OF_ACCOUNT), idle: { free: idleMax } };
  let renewedAt = performance.now();

  const stopAll = () => {
    for (const { stop } of readings.values()) stop.abort();
  };
  const begin = (name: string, leased: LeasedMailbox) => {
    const stop = new AbortController();
    const ended = readUntilStopped(parts, shared, leased, stop.signal).finally(() => {
      if (readings.get(name)?.stop === stop) readings.delete(name);
    });
    readings.set(name, { version: leased.version, stop, ended });
  };
  const loop = startLoop({
    log,
    task: 'lease mailboxes',
    async work() {
      if (performance.now() - renewedAt > HELD_MS_MAX) stopAll();
      const lease = { workerId, keyIds: mailboxes.secrets.keyIds, limit: MAILBOXES_MAX };
      const rows = await leaseMailboxes(services.db, lease);
      const leased = new Map<string, LeasedMailbox>(rows.map((one) => [`${one.accountId}:${one.id}`, one]));
      renewedAt = performance.now();
      for (const [name, { stop, version }] of readings) if (leased.get(name)?.version !== version) stop.abort();
      for (const [name, one] of leased) if (!readings.has(name)) begin(name, one);
      return leaseEveryMs;
    },
  });
  return async () => {
    stopAll();
    await loop.stop();
    stopAll();
    await Promise.all([...readings.values()].map(({ ended }) => ended));
    await releaseMailboxes(services.db, workerId).catch((error: unknown) =>
      log.warn({ err: error }, 'could not release mailboxes; another worker takes them when the leases end'),
    );
  };
}

interface Shared {
  readonly workerId: string;
  /** Bounds the looks at a time. */
  readonly looks: <Result>(accountId: number, work: () => Promise<Result>) => Promise<Result>;
  /** Connections that may stay open. */
  readonly idle: { free: number };
}

/** Returns a function that runs at most `count` works at a time, and at most `ofAccount` of each account. */
function turnsOf(count: number, ofAccount: number): Shared['looks'] {
  let free = count;
  const running = new Map<number, number>();
  const waiting: { readonly accountId: number; readonly go: () => void }[] = [];
  const runningOf = (accountId: number) => running.get(accountId) ?? 0;
  const startNext = () => {
    const index = free === 0 ? -1 : waiting.findIndex(({ accountId }) => runningOf(accountId) < ofAccount);
    const [next] = index === -1 ? [] : waiting.splice(index, 1);
    if (!next) return;
    free -= 1;
    running.set(next.accountId, runningOf(next.accountId) + 1);
    next.go();
  };
  return async (accountId, work) => {
    await new Promise<void>((go) => {
      waiting.push({ accountId, go });
      startNext();
    });
    try {
      return await work();
    } finally {
      free += 1;
      if (runningOf(accountId) === 1) running.delete(accountId);
      else running.set(accountId, runningOf(accountId) - 1);
      startNext();
    }
  };
}

/** Reads one mailbox, look by look. Never rejects. */
async function readUntilStopped(
  parts: MailboxReaderParts,
  shared: Shared,
  leased: LeasedMailbox,
  stopping: AbortSignal,
): Promise<void> {
  const { retryMs = RETRY_MS, lookEveryMs = LOOK_EVERY_MS, log } = parts;
  const { accountId, id } = leased;
  const key = { accountId, id, workerId: shared.workerId };
  const state = newLookState();
  let faults = 0;
  while (!stopping.aborted) {
    let waitMs = lookEveryMs;
    try {
      if (!(await readOnce(parts, shared, key, state, stopping))) return;
      faults = 0;
    } catch (error) {
      // The stop has closed the session. A frozen account is left alone.
      if (stopping.aborted || isAccountFrozen(error)) return;
      waitMs = Math.min(retryMs * 2 ** faults, RETRY_MS_MAX);
      faults += 1;
      state.cursor = null;
      state.recordedAt = Number.NEGATIVE_INFINITY;
      const at = { err: error, accountId, mailbox: id, retryAfterMs: waitMs };
      log.warn(at, 'could not read a mailbox; retrying, and sending goes on');
      await noteFault(parts, key, error);
    }
    await sleep(waitMs, undefined, { signal: stopping, ref: false }).catch(() => undefined);
  }
}

/** Looks at a mailbox once; again and again, if its connection may stay open. @returns false: it is no longer ours */
async function readOnce(
  parts: MailboxReaderParts,
  shared: Shared,
  key: MailboxReaderKey,
  state: LookState,
  stopping: AbortSignal,
): Promise<boolean> {
  const { services, turnMs, lookEveryMs = LOOK_EVERY_MS } = parts;
  const account = services.accountDb(key.accountId, null);
  const mailbox = await readMailbox(services.db, key);
  if (mailbox === undefined || mailbox.imap_host === null) return false;
  const credentials = await mailboxLogIn(parts.mailboxes, account, mailbox);
  // A new token is asked for meanwhile, or a member must connect the mailbox.
  if (typeof credentials === 'string') return credentials === 'wait';
  const { idle } = shared;
  const mayStay = idle.free > 0;
  if (mayStay) idle.free -= 1;
  const place = { host: mailbox.imap_host, credentials };
  const session = await shared
    .looks(key.accountId, () => parts.open(place, stopping))
    .catch((error: unknown) => {
      if (mayStay) idle.free += 1;
      throw error;
    });
  stopping.addEventListener('abort', session.close, { once: true });
  try {
    const target = { key, account, keys: keysOf(mailbox), session, stopping };
    const look = () => shared.looks(key.accountId, () => lookAt(parts, target, state, turnMs));
    let looked = await look();
    while (!stopping.aborted && (looked === 'more' || (looked === 'read' && mayStay))) {
      if (looked === 'read') await session.waitForMail(lookEveryMs, stopping);
      looked = await look();
    }
    return looked !== 'left';
  } finally {
    if (mayStay) idle.free += 1;
    stopping.removeEventListener('abort', session.close);
    session.close();
  }
}

const keysOf = ({ address, other_from }: Mailbox): string[] => [addressKey(address), ...other_from];

async function noteFault({ services, log }: MailboxReaderParts, key: MailboxReaderKey, error: unknown): Promise<void> {
  if (!(error instanceof InboxError) && isDatabaseUnavailable(error)) return;
  const fault = error instanceof InboxError ? error.fault : 'other';
  const reply = fault === 'login' ? refusedLogIn(error) : null;
  const noted =
    reply === null
      ? recordReadFault(services.db, key, fault === 'login' ? 'connection' : fault)
      : recordRefusedLogIn(services.accountDb(key.accountId, null), key, printable(reply));
  await noted.catch((failed: unknown) => log.error({ err: failed }, 'could not record the fault of a mailbox'));
}
