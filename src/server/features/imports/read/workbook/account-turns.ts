interface Waiting {
  readonly accountId: number;
  readonly begin: () => void;
}

/**
 * Makes a queue whose works run one at a time.
 * The next one is of the account whose last work began first, before it those without any; ties go by arrival. So an
 * account waits for one work of each other account at most, however many these have in the queue.
 */
export function accountTurns() {
  const waiting: Waiting[] = [];
  /** The number of each account's last turn. */
  const lastTurns = new Map<number, number>();
  let turns = 0;
  let isTaken = false;

  const lastTurn = ({ accountId }: Waiting): number => lastTurns.get(accountId) ?? 0;

  function beginNext(): void {
    const [next] = isTaken ? [] : waiting.toSorted((one, other) => lastTurn(one) - lastTurn(other));
    if (next === undefined) return;
    isTaken = true;
    turns += 1;
    lastTurns.set(next.accountId, turns);
    waiting.splice(waiting.indexOf(next), 1);
    next.begin();
  }

  const turnOf = (accountId: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(one), 1);
        reject(signal?.reason as Error);
      };
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const one: Waiting = { accountId, begin };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(one);
      beginNext();
    });

  /**
   * Runs `work` in the account's turn.
   * @param signal ends the wait; the promise then rejects with the reason
   */
  return async function inTurn<T>(
    accountId: number,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    await turnOf(accountId, signal);
    try {
      return await work();
    } finally {
      isTaken = false;
      beginNext();
    }
  };
}
