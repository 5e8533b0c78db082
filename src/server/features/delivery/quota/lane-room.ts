import type { Lane } from '../transports/transport.ts';

/**
 * The pause of a worker that has no connection left because the server admits none: others may hold them all. Each
 * pause is twice as long as the one before.
 */
const FIRST_REST_MS = 1000;
const REST_MS_MAX = 30_000;
/** For this long a refusal overrides a claim that read the row before the refusal was recorded. */
const REFUSAL_MS = 5000;

export type LaneRoom = ReturnType<typeof laneRoom>;

/**
 * Limits the lanes in use of a worker to the connections that the mail server admits.
 * @param now milliseconds of a monotonic clock
 */
export function laneRoom(lanes: number, now: () => number = () => performance.now()) {
  let allowed = lanes;
  let restMs = FIRST_REST_MS;
  let restUntil = 0;
  let refusedUntil = 0;
  const inUse = new Set<Lane>();
  /** Lanes in use on which the server has accepted a mail. */
  const admitted = new Set<Lane>();
  const leave = (lane: Lane) => {
    inUse.delete(lane);
    admitted.delete(lane);
  };

  return {
    allowed: (): number => allowed,
    isFree: (): boolean => inUse.size < allowed && now() >= restUntil,
    /** Whether more lanes are in use than allowed, so that a lane must take no further request. */
    isExceeded: (): boolean => inUse.size > allowed,
    isResting: (): boolean => now() < restUntil,
    enter: (lane: Lane): void => void inUse.add(lane),
    leave,
    /** Records that the server has accepted mails on a lane. */
    admit(lane: Lane): void {
      if (inUse.has(lane)) admitted.add(lane);
      restMs = FIRST_REST_MS;
    },
    admittedCount: (): number => admitted.size,
    /** Records that the server refused a lane's connection: it admits only those of the other lanes. */
    refuse(lane: Lane): number {
      leave(lane);
      allowed = Math.max(1, Math.min(allowed, inUse.size));
      refusedUntil = now() + REFUSAL_MS;
      if (inUse.size > 0) return allowed;
      restUntil = now() + restMs;
      restMs = Math.min(2 * restMs, REST_MS_MAX);
      return allowed;
    },
    /** Adopts the limit recorded by all workers. @param max null: the server named no limit */
    learn(max: number | null): void {
      const learned = Math.min(lanes, max ?? lanes);
      allowed = now() < refusedUntil ? Math.min(allowed, learned) : learned;
    },
  };
}
