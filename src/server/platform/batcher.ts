interface Waiting<Item, Result> {
  readonly item: Item;
  readonly done: (result: Result) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Collects what parallel callers ask for at nearly the same time into one call: a commit for many mails costs what a commit for one
 * does. `work` gets 1 to `most` items and answers one result each, in order. One call runs at a time; while it does,
 * the next batch gathers, so a lone caller waits for nobody.
 */
export function batcher<Item, Result>(work: (items: Item[]) => Promise<Result[]>, most: number) {
  let waiting: Waiting<Item, Result>[] = [];
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const results = await work(batch.map(({ item }) => item));
        for (const [index, { done }] of batch.entries()) done(results[index] as Result);
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
    running = false;
  }

  return (item: Item): Promise<Result> =>
    new Promise((done, fail) => {
      waiting.push({ item, done, fail });
      // Not at once: callers of this turn of the event loop still join the batch.
      if (!running) {
        running = true;
        setImmediate(() => void run());
      }
    });
}
