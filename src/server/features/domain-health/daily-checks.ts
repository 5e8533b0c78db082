import type { Logger } from 'pino';
import { dayOf, instantOf } from '#domain/time/tokyo-time.ts';
import { HOUR_MS, MINUTE_MS } from '#domain/time-units.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import { isAccountFrozen } from '../../platform/database/frozen.ts';
import { startLoop } from '../../platform/loop.ts';
import { type CheckParts, checkAndStore, storeFault } from './check.command.ts';
import { beginRound, type DueDomain, type DueTimes, endRound, findDueDomains } from './due-domains.queries.ts';

interface DailyCheckParts extends CheckParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly log: Pick<Logger, 'error'>;
}

/** In Tokyo. The machine is quiet then, and members read of a fault in the morning. */
const CHECK_HOUR = 4;
const LOOK_EVERY_MS = MINUTE_MS;
/** While checks are due: longer than the pause between rounds. */
const ROUND_EVERY_MS = 10_000;

/**
 * Checks the domains of all senders in use once a day. Any number of processes may do so: one at a time does.
 * @returns how to stop it
 */
export const startDailyChecks = (parts: DailyCheckParts): (() => Promise<void>) =>
  startLoop({
    log: parts.log,
    task: "check the senders' domains",
    work: async () => ((await checkDueDomains(parts)) ? ROUND_EVERY_MS : LOOK_EVERY_MS),
    firstMs: LOOK_EVERY_MS,
    retryMs: LOOK_EVERY_MS,
  }).stop;

/** Checks a few domains whose check is due. @returns whether there may be more of them */
export async function checkDueDomains(parts: DailyCheckParts): Promise<boolean> {
  const { db, now } = parts;
  const times = dueTimesAt(now());
  if ((await findDueDomains(db, times)).length === 0) return false;
  if (!(await beginRound(db))) return true;
  // Found again: another process may just have ended its round.
  const due = await findDueDomains(db, times);
  await Promise.all(due.map((domain) => check(parts, domain)));
  await endRound(db);
  return true;
}

const dueTimesAt = (now: number): DueTimes => ({
  dayStart: instantOf(dayOf(now - CHECK_HOUR * HOUR_MS), CHECK_HOUR * 60),
  retryStart: now - HOUR_MS,
});

/** Checks one domain. A bug that one domain shows must not stop the checks of the others. */
async function check({ db, log, ...setup }: DailyCheckParts, { accountId, domain }: DueDomain): Promise<void> {
  const account = accountDbOf(db)(accountId, null);
  try {
    await checkAndStore(account, domain, setup);
  } catch (error) {
    // Frozen meanwhile.
    if (isAccountFrozen(error)) return;
    log.error({ err: error, accountId, domain }, "could not check a sender's domain; trying again in an hour");
    await storeFault(account, domain, setup.now());
  }
}
