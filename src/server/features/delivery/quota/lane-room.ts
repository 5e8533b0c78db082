import type { Lane } from '../transports/transport.ts';

/**
 * A worker without another connection rests when the server admits none: others may hold them all. Each rest is twice
 * as long as the one before.
 */
const FIRST_REST_MS = 1000;
const REST_MS_MAX = 30_000;
/** So long a refusal holds against a claim that has read the row before it was recorded. */
const REFUSAL_MS = 5000;

export type LaneRoom = ReturnType<typeof laneRoom>;

/**
 * Says how many lanes of a worker may be in use: the mail server may admit fewer connections than the worker has.
 * @param now milliseconds of a monotonic clock
 */
export function laneRoom(lanes: number, now: () => number = () => performance.now()) {
  let allowed = lanes;
  let restMs = FIRST_REST_MS;
  let restUntil = 0;
  let refusedUntil = 0;
  const inUse = new Set<Lane>();
  /** Lanes in use on which the server has taken a mail. */
  const admitted = new Set<Lane>();
  const leave = (lane: Lane) => {
    inUse.delete(lane);
    admitted.delete(lane);
  };

  return {
    allowed: (): number => allowed,
    isFree: (): boolean => inUse.size < allowed && now() >= restUntil,
    /** Whether a lane in use must take no further request. */
    isExceeded: (): boolean => inUse.size > allowed,
    isResting: (): boolean => now() < restUntil,
    enter: (lane: Lane): void => void inUse.add(lane),
    leave,
    /** The server has taken mails on a lane. */
    admit(lane: Lane): void {
      if (inUse.has(lane)) admitted.add(lane);
      restMs = FIRST_REST_MS;
    },
    admittedCount: (): number => admitted.size,
    /** The server has refused the connection of a lane: those of the others are as many as it admits. */
    refuse(lane: Lane): number {
      leave(lane);
      allowed = Math.max(1, Math.min(allowed, inUse.size));
      refusedUntil = now() + REFUSAL_MS;
      if (inUse.size > 0) return allowed;
      restUntil = now() + restMs;
      restMs = Math.min(2 * restMs, REST_MS_MAX);
      return allowed;
    },
    /** Takes over what all workers have learned. @param max null: the server named no limit */
    learn(max: number | null): void {
      const learned = Math.min(lanes, max ?? lanes);
      allowed = now() < refusedUntil ? Math.min(allowed, learned) : learned;
    },
  };
}
