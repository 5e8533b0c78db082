import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { TransportName } from '../sending/transport.ts';
import { type DueReservation, findDue, startReservation } from './due.command.ts';

interface SchedulerParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly now: () => number;
  readonly log: FastifyBaseLogger;
  /** The way the mails will leave; SMTP unless told otherwise. */
  readonly transport?: TransportName;
}

const POLL_MS = 1000;
/** So many are started at once: one whose mails take long to render must not hold up what is due behind it. */
const AT_ONCE = 4;
/** One that could not be sent rests: to judge it again is to render all its mails. */
const REST_MS = 60_000;

/** Starts reservations when their time has come, until stopped. Any number may run at once. @returns how to stop it */
export function startReservationScheduler({ db, now, log, transport }: SchedulerParts): () => Promise<void> {
  const stopping = new AbortController();
  /** Until when which reservation rests. */
  const resting = new Map<number, number>();

  const starting = new Map<number, Promise<unknown>>();

  /** Never rejects: one that fails must not hold up the others. */
  async function start(due: DueReservation): Promise<void> {
    try {
      const started = await startReservation(db, due, now(), transport);
      if (started instanceof Refusal) {
        resting.set(due.id, now() + REST_MS);
        log.warn({ reservation: due.id, code: started.code }, 'a due reservation cannot be sent');
      } else if (started) {
        log.info({ reservation: due.id, run: started.sendLogId }, 'a reservation was started');
      }
    } catch (error) {
      resting.set(due.id, now() + REST_MS);
      log.error({ err: error, reservation: due.id }, 'a reservation failed');
    }
  }

  async function startAll(): Promise<void> {
    for (const [id, until] of resting) if (until <= now()) resting.delete(id);
    for (const due of await findDue(db)) {
      if (resting.has(due.id) || starting.has(due.id)) continue;
      if (starting.size >= AT_ONCE) await Promise.race(starting.values());
      if (stopping.signal.aborted) return;
      const started = start(due).finally(() => starting.delete(due.id));
      starting.set(due.id, started);
    }
  }

  async function untilStopped(): Promise<void> {
    while (!stopping.signal.aborted) {
      await startAll().catch((error: unknown) =>
        log.error({ err: error }, 'the database did not answer the scheduler'),
      );
      await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = untilStopped();
  return async () => {
    stopping.abort();
    await running;
    await Promise.all(starting.values());
  };
}
