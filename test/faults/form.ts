/**
 * Reads the extent of the tests: the short form of `npm test`, unless `npm run faults` sets more by the environment.
 * All random choices come from one seed, so that a run can be repeated.
 */
const number = (name: string, short: number): number => Number(process.env[`FAULTS_${name}`] ?? short);

/** A new seed for each run, so that `npm test` covers different moments; each suite with random choices prints it. */
const seed = number('SEED', Math.floor(Math.random() * 1_000_000));

/** Returns a generator of numbers 0 ≤ n < 1 that repeats for the same seed (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const form = {
  /** A part of the tests' titles: `FAULTS_SEED=… npx vitest run --project faults` repeats the random choices. */
  seed,
  /** Enables tests that are slow in any form. */
  isLong: process.env.FAULTS_MAILS !== undefined,
  /** Returns a generator for one test file, independent of earlier files in its worker. */
  random: () => randomFrom(seed),
  mails: number('MAILS', 500),
  kills: number('KILLS', 3),
  /**
   * The mail server's delay in ms from a mail's last byte to its 250.
   * If a worker is killed in this time, the outcome is unknown.
   */
  latency: number('LATENCY', 5),
  restarts: number('RESTARTS', 2),
  rolls: number('ROLLS', 2),
  /** The rounds of each race between changes of reservations. */
  races: number('RACES', 20),
  /** The rounds of each race between members of a team. */
  teams: number('TEAMS', 3),
  /** The number of processes killed while they stop a member. */
  stops: number('STOPS', 4),
  /** The number of processes killed while they write a backup into a folder. */
  backups: number('BACKUPS', 5),
  pairs: number('PAIRS', 0),
  undos: number('UNDOS', 40),
  /** The number of closing times of a group, of one minute each. */
  closings: number('CLOSINGS', 1),
  /** The number of random sequences of steps around receipts and erasures. */
  sequences: number('SEQUENCES', 8),
  /** Picks some of the items by the seed, each at most once. */
  sample<Item>(items: readonly Item[], count: number): Item[] {
    const random = randomFrom(seed);
    return items
      .map((item) => ({ item, order: random() }))
      .toSorted((a, b) => a.order - b.order)
      .slice(0, count)
      .map(({ item }) => item);
  },
} as const;
