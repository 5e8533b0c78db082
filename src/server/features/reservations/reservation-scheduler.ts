import type { FastifyBaseLogger } from 'fastify';
import { type Db, isDatabaseUnavailable } from '../../platform/database/db.ts';
import { startLoop } from '../../platform/loop.ts';
import { Problem } from '../../platform/problem.ts';
import type { WorkSignal } from '../../platform/work-signal.ts';
import { recordServer } from '../delivery/pauses/installation.queries.ts';
import type { Mailing } from '../runs/prepare-run.ts';
import {
  type DueReservation,
  findDue,
  NO_SENDER,
  recordRefusal,
  secondsUntilNextReservation,
  startReservation,
} from './due.command.ts';

interface SchedulerParts extends Mailing {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: FastifyBaseLogger;
  /** Announces reservations shortly before they fall due; without it the scheduler polls every second. */
  readonly workSignal?: WorkSignal | undefined;
}

const POLL_MS = 1000;
/** The poll interval while a signal is connected. Below the 10 s by which a trigger announces due reservations. */
const SLOW_POLL_MS = 5000;
/** Reservations started concurrently, so that a long list does not delay those behind it. */
const MAX_STARTING = 4;
/** Concurrent starts of one account, so that an account with many reservations does not delay the others. */
const MAX_STARTING_OF_ACCOUNT = 2;
/** How soon a failed start is retried. Each attempt checks all targets. */
const RETRY_MS = 60_000;

const FAILED = '処理中に問題が発生しました。続くときは、管理者に連絡してください。';

/** A scheduler's state outside of the database. Keys are ids of reservations. */
interface SchedulerState {
  /** When a reservation may be retried, in epoch milliseconds. `start` writes it; `nextDue` removes past times. */
  readonly retryAt: Map<number, number>;
  /** The running starts. The loop adds them; each removes itself at its end. */
  readonly starting: Map<number, { readonly accountId: number; readonly ended: Promise<void> }>;
}

/** Starts reservations when they fall due. Any number of schedulers may run. @returns a function that stops it */
export function startReservationScheduler(parts: SchedulerParts): () => Promise<void> {
  const { log, workSignal } = parts;
  const state: SchedulerState = { retryAt: new Map(), starting: new Map() };
  const { starting } = state;
  const loop = startLoop({
    log,
    task: 'look for due reservations',
    wake: workSignal?.subscribe,
    async work(stopping) {
      if (starting.size >= MAX_STARTING) return POLL_MS;
      const next = await nextDue(parts, state);
      if (typeof next === 'number') return next;
      if (!stopping.aborted) {
        starting.set(next.id, { accountId: next.accountId, ended: start(parts, state, next).then(loop.wake) });
      }
      return 0;
    },
  });
  return async () => {
    await loop.stop();
    await Promise.all([...starting.values()].map(({ ended }) => ended));
  };
}

/**
 * Finds the next reservation to start: the earliest due one of the account with the fewest running starts.
 * @returns it, or the milliseconds until the next look: all due ones are starting, or wait for their retry or their
 * account, or none is due
 */
async function nextDue(
  { db, now, workSignal }: SchedulerParts,
  { retryAt, starting }: SchedulerState,
): Promise<DueReservation | number> {
  for (const [id, instant] of retryAt) if (instant <= now()) retryAt.delete(id);
  const startingOf = ({ accountId }: DueReservation): number =>
    [...starting.values()].filter((other) => other.accountId === accountId).length;
  // None is due while another server is recorded.
  await recordServer(db);
  const due = await findDue(db);
  const [next] = due
    .filter(({ id }) => !(retryAt.has(id) || starting.has(id)))
    .filter((waiting) => startingOf(waiting) < MAX_STARTING_OF_ACCOUNT)
    .toSorted((a, b) => startingOf(a) - startingOf(b));
  if (next) return next;
  if (due.length > 0 || !workSignal?.isListening()) return POLL_MS;
  return Math.min(SLOW_POLL_MS, Math.ceil(1000 * (await secondsUntilNextReservation(db))));
}

/** Starts one reservation, or records for its owner why it cannot start. Never rejects. */
async function start(
  { db, now, log, ...mailing }: SchedulerParts,
  { retryAt, starting }: SchedulerState,
  due: DueReservation,
): Promise<void> {
  // Another process may be starting the reservation, which stays due until that one commits.
  retryAt.set(due.id, now() + POLL_MS);
  try {
    const started = await startReservation(db, due, now(), mailing);
    if (started instanceof Problem) {
      retryAt.set(due.id, now() + RETRY_MS);
      log.warn({ reservation: due.id, code: started.code }, 'due reservation refused; retrying in 60 seconds');
      await recordRefusal(db, due, started.code === 'not_found' ? NO_SENDER : started.message);
    } else if (started) {
      log.info({ reservation: due.id, run: started.sendLogId }, 'reservation started');
    }
  } catch (error) {
    // An unavailable database is no fault of the reservation: its owner gets no reason.
    const isUnavailable = isDatabaseUnavailable(error);
    retryAt.set(due.id, now() + (isUnavailable ? POLL_MS : RETRY_MS));
    log.error({ err: error, reservation: due.id }, 'could not start a due reservation; retrying');
    if (!isUnavailable) {
      await recordRefusal(db, due, FAILED).catch((fault: unknown) => {
        log.error({ err: fault, reservation: due.id }, 'could not record why a reservation does not start');
      });
    }
  }
  starting.delete(due.id);
}
