/**
 * How much is done: the short form, part of `npm test`, unless `npm run faults` asks for more by the environment. What
 * is left to chance comes from one seed, so that a run can be repeated.
 */
const number = (name: string, short: number): number => Number(process.env[`FAULTS_${name}`] ?? short);

/**
 * Another one each time, so that `npm test` looks at other moments: told by each suite that leaves something to chance.
 */
const seed = number('SEED', Math.floor(Math.random() * 1_000_000));

/** mulberry32: a small generator that the same seed gives the same numbers. 0 ≤ number < 1 */
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
  /** Named in the tests' titles: `FAULTS_SEED=… npx vitest run --project faults` repeats what is left to chance. */
  seed,
  /** For what takes its time whatever is asked for. */
  isLong: process.env.FAULTS_MAILS !== undefined,
  random: randomFrom(seed),
  mails: number('MAILS', 500),
  kills: number('KILLS', 5),
  /**
   * Of the mail server that workers are killed over: milliseconds from a mail's last byte to its 250, in which nobody
   * can know.
   */
  latency: number('LATENCY', 5),
  restarts: number('RESTARTS', 2),
  rolls: number('ROLLS', 2),
  pairs: number('PAIRS', 1),
  /** Some of them, by the seed; each at most once. */
  sample<Item>(items: readonly Item[], count: number): Item[] {
    const random = randomFrom(seed);
    return items
      .map((item) => ({ item, order: random() }))
      .toSorted((a, b) => a.order - b.order)
      .slice(0, count)
      .map(({ item }) => item);
  },
} as const;
