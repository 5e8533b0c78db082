interface Waiting {
  readonly accountId: number;
  readonly begin: () => void;
}

/**
 * Makes a queue that runs one task at a time.
 * Accounts take turns: the next task is of the account that was served longest ago, or never; ties go by arrival. An
 * account therefore waits for at most one task of each other account.
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

  /** Runs `work` in the account's turn. @param signal ends the wait; the promise then rejects with its reason */
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
