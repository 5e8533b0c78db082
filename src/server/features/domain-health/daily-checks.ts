import type { Logger } from 'pino';
import { dayOf, instantOf } from '#domain/time/tokyo-time.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import { isAccountFrozen } from '../../platform/database/frozen.ts';
import { type CheckParts, checkAndStore, storeFault } from './check.command.ts';
import { beginRound, type DueDomain, type DueParts, endRound, findDueDomains } from './due-domains.queries.ts';

export interface DailyCheckParts extends CheckParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly log: Pick<Logger, 'error'>;
}

/** The hour in Tokyo: the machine is idle, and members read of a fault in the morning. */
const CHECK_HOUR = 4;
/** The interval while checks are due: longer than the pause between rounds. */
const ROUND_EVERY_MS = 10_000;

/**
 * Checks a few domains of senders in use whose daily check is due.
 * Any number of processes may call this: only one works at a time.
 * @returns milliseconds until the next round; undefined: none is due
 */
export async function checkDueDomains(parts: DailyCheckParts): Promise<number | undefined> {
  const { db, now, leavesMachine } = parts;
  const times = { ...dueTimesAt(now()), leavesMachine };
  if ((await findDueDomains(db, times)).length === 0) return undefined;
  if (!(await beginRound(db))) return ROUND_EVERY_MS;
  // Queried again: another process may just have finished its round.
  const due = await findDueDomains(db, times);
  await Promise.all(due.map((domain) => check(parts, domain)));
  await endRound(db);
  return ROUND_EVERY_MS;
}

const dueTimesAt = (now: number): Omit<DueParts, 'leavesMachine'> => ({
  dayStart: instantOf(dayOf(now - CHECK_HOUR * HOUR_MS), CHECK_HOUR * 60),
  retryStart: now - HOUR_MS,
});

/** Checks one domain. A bug triggered by one domain must not stop the other checks. */
async function check({ db, log, ...setup }: DailyCheckParts, { accountId, domain }: DueDomain): Promise<void> {
  const account = accountDbOf(db)(accountId, null);
  try {
    await checkAndStore(account, domain, setup);
  } catch (error) {
    // The account was frozen meanwhile.
    if (isAccountFrozen(error)) return;
    log.error({ err: error, accountId, domain }, "could not check a sender's domain; trying again in an hour");
    await storeFault(account, domain, setup.now());
  }
}
