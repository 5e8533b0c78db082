import type { FastifyReply } from 'fastify';

/** Where the parts of files of an account are received: one at a time. */
export interface PartPlace {
  /** Runs the handler of the part, and then gives the place back. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * Returns a function that gives the account's only place in this process to a request. The place is taken before the
 * body is read: an account cannot make us hold many parts in memory, or use many connections to the database.
 * It ends with the handler, or where none begins with the connection.
 * @returns null where the account has a part that is being received
 */
export function partPlaces(): (accountId: number, reply: FastifyReply) => PartPlace | null {
  const taken = new Set<number>();
  return (accountId, reply) => {
    if (taken.has(accountId)) return null;
    taken.add(accountId);
    let state: 'reading' | 'working' | 'over' = 'reading';
    const end = () => {
      if (state !== 'over') taken.delete(accountId);
      state = 'over';
    };
    reply.raw.once('close', () => {
      if (state === 'reading') end();
    });
    return {
      async during(work) {
        state = 'working';
        try {
          return await work();
        } finally {
          end();
        }
      },
    };
  };
}
