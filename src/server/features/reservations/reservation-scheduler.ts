import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { type Db, isDatabaseUnavailable } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { WorkSignal } from '../../platform/work-signal.ts';
import type { TransportTemplates } from '../delivery/transports/transport.ts';
import {
  type DueReservation,
  findDue,
  noteRefusal,
  secondsUntilNextReservation,
  startReservation,
} from './due.command.ts';

interface SchedulerParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly now: () => number;
  readonly log: FastifyBaseLogger;
  /** The way the mails will leave. */
  readonly transport: TransportTemplates;
  /** Announces reservations for the next seconds; without it they are looked for each second. */
  readonly workSignal?: WorkSignal | undefined;
}

const POLL_MS = 1000;
/** Behind the announcements. migrations/0016 announces what is due within ten seconds: this must come sooner. */
const SLOW_POLL_MS = 5000;
/** So many are started at once: one whose mails take long to render must not hold up what is due behind it. */
const AT_ONCE = 4;
/** And so many of one account: those of others must not wait until all of its are done. */
const OF_ONE_ACCOUNT = 2;
/** One that could not be sent rests: to judge it again is to render all its mails. */
const REST_MS = 60_000;

const NO_SENDER = 'テンプレート（送信者）が無効になっています。有効にするか、予約を削除してください。';
const FAILED = '処理中に問題が発生しました。続くときは、管理者に連絡してください。';

/** Starts reservations when their time has come, until stopped. Any number may run at once. @returns how to stop it */
export function startReservationScheduler({
  db,
  now,
  log,
  transport,
  workSignal,
}: SchedulerParts): () => Promise<void> {
  const stopping = new AbortController();
  /** Aborted when there may be work; replaced by whoever waits for it. */
  let woken = new AbortController();
  const unsubscribe = workSignal?.subscribe(() => woken.abort());
  /** Until when which reservation rests. */
  const resting = new Map<number, number>();
  const starting = new Map<number, { readonly accountId: number; readonly ended: Promise<void> }>();

  /** Never rejects: one that fails must not hold up the others. */
  async function start(due: DueReservation): Promise<void> {
    // Another process may have it for as long as it takes.
    resting.set(due.id, now() + POLL_MS);
    try {
      const started = await startReservation(db, due, now(), transport);
      if (started instanceof Refusal) {
        resting.set(due.id, now() + REST_MS);
        log.warn({ reservation: due.id, code: started.code }, 'a due reservation cannot be sent');
        await noteRefusal(db, due, started.code === 'not_found' ? NO_SENDER : started.message);
      } else if (started) {
        log.info({ reservation: due.id, run: started.sendLogId }, 'a reservation was started');
      }
    } catch (error) {
      // That the database was away for a moment says nothing of the reservation.
      const isAway = isDatabaseUnavailable(error);
      resting.set(due.id, now() + (isAway ? POLL_MS : REST_MS));
      log.error({ err: error, reservation: due.id }, 'a reservation failed');
      if (!isAway) await noteRefusal(db, due, FAILED).catch(toldAway);
    }
    starting.delete(due.id);
  }

  const startingOf = ({ accountId }: DueReservation): number =>
    [...starting.values()].filter((other) => other.accountId === accountId).length;

  /**
   * Of the account that has the fewest under way, the earliest; or for how many milliseconds there is none to start, because all that are due
   * are under way, rest or wait for their own account, or because none is due.
   */
  async function nextDue(): Promise<DueReservation | number> {
    for (const [id, until] of resting) if (until <= now()) resting.delete(id);
    const due = await findDue(db);
    const [next] = due
      .filter(({ id }) => !(resting.has(id) || starting.has(id)))
      .filter((waiting) => startingOf(waiting) < OF_ONE_ACCOUNT)
      .toSorted((a, b) => startingOf(a) - startingOf(b));
    if (next) return next;
    if (due.length > 0 || !workSignal?.isListening()) return POLL_MS;
    return Math.min(SLOW_POLL_MS, Math.ceil(1000 * (await secondsUntilNextReservation(db))));
  }

  function toldAway(error: unknown): undefined {
    log.error({ err: error }, 'the database did not answer the scheduler');
  }

  async function untilStopped(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = new AbortController();
      const next = starting.size < AT_ONCE ? ((await nextDue().catch(toldAway)) ?? POLL_MS) : POLL_MS;
      if (typeof next !== 'number' && !stopping.signal.aborted) {
        starting.set(next.id, { accountId: next.accountId, ended: start(next) });
      } else {
        const signal = AbortSignal.any([stopping.signal, woken.signal]);
        const poll = sleep(typeof next === 'number' ? next : POLL_MS, undefined, { signal }).catch(() => undefined);
        await Promise.race([poll, ...[...starting.values()].map(({ ended }) => ended)]);
      }
    }
  }

  const running = untilStopped();
  return async () => {
    stopping.abort();
    unsubscribe?.();
    await running;
    await Promise.all([...starting.values()].map(({ ended }) => ended));
  };
}
