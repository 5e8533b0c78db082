import type { Call } from '#contract/call.ts';
import { accountDbOf, type MemberDb, type MemberKey } from '../database/account-db.ts';
import type { Db } from '../database/db.ts';

/** An account's limits of database use in one web process. */
export interface AccountLimits {
  /** The timeout of a statement, unless its call has its own (Call.statementSeconds). */
  readonly statementMs: number;
  /** Concurrent connections for reading, and as many for writing. */
  readonly connections: number;
  /** Calls that may wait for a connection of either kind. */
  readonly waiting: number;
  readonly waitMs: number;
}

export const ACCOUNT_LIMITS: AccountLimits = { statementMs: 15_000, connections: 3, waiting: 60, waitMs: 10_000 };

/** A call got no connection: too many of its account's calls waited, it timed out, or its request ended. */
export class TooManyAtOnce extends Error {
  readonly accountId: number;

  constructor(accountId: number) {
    super('too many calls of an account wait for a connection');
    this.accountId = accountId;
  }
}

/** Returns the database for a member's call. @param isClosed whether its client has disconnected */
export type MemberDbOf = (member: MemberKey, call: Call, isClosed: () => boolean) => MemberDb;

/**
 * Limits the duration of an account's statements, and its concurrent connections.
 * Further calls wait in a queue. A call is refused (TooManyAtOnce), or dropped when its client disconnects, only before
 * its first transaction: afterwards it may have changed data, or sent a part of its answer. A call that only reads is
 * dropped at any time, because nobody reads the rest of its answer.
 */
export function limitedAccountDb(api: Db, limits: AccountLimits): MemberDbOf {
  const [read, write] = [accountPlaces(limits), accountPlaces(limits)];
  return ({ accountId, memberId }, { method, statementSeconds }, isClosed) => {
    const statementMs = statementSeconds === undefined ? limits.statementMs : statementSeconds * 1000;
    const account = accountDbOf(api, statementMs)(accountId, memberId);
    const asker: Asker = { accountId, isClosed, onlyReads: method === 'GET', hasBegun: false };
    return {
      ...account,
      transaction: (work) => write(asker, () => account.transaction(work)),
      whileFrozen: (work) => write(asker, () => account.whileFrozen(work)),
      snapshot: (work) => read(asker, () => account.snapshot(work)),
    };
  };
}

/** A call that requests connections. */
interface Asker {
  readonly accountId: number;
  readonly isClosed: () => boolean;
  readonly onlyReads: boolean;
  /** Whether the call has had a connection. */
  hasBegun: boolean;
}

interface Waiting {
  readonly asker: Asker;
  readonly begin: () => void;
  readonly leave: () => void;
}

/** The places of one account: the number taken, and the queue of waiting calls in order of arrival. */
interface Places {
  taken: number;
  readonly queue: Set<Waiting>;
}

/** Makes a function that runs `work` in one of the account's places, in order of arrival. */
function accountPlaces({ connections, waiting, waitMs }: AccountLimits) {
  const accounts = new Map<number, Places>();

  /** Removes the calls of disconnected clients. A listener for each would accumulate on shared connections. */
  const removeClosed = ({ queue }: Places): void => {
    for (const { asker, leave } of queue) if (asker.isClosed()) leave();
  };

  const turnOf = ({ queue }: Places, asker: Asker): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        queue.delete(one);
      };
      const begin = () => {
        end();
        resolve();
      };
      const leave = () => {
        if (asker.hasBegun && !(asker.onlyReads && asker.isClosed())) return;
        end();
        reject(new TooManyAtOnce(asker.accountId));
      };
      const one: Waiting = { asker, begin, leave };
      const timer = setTimeout(leave, waitMs);
      queue.add(one);
      if (queue.size > waiting) leave();
    });

  return async <Result>(asker: Asker, work: () => Promise<Result>): Promise<Result> => {
    const places = accounts.get(asker.accountId) ?? { taken: 0, queue: new Set() };
    accounts.set(asker.accountId, places);
    if (places.taken < connections) places.taken += 1;
    else {
      if (places.queue.size >= waiting) removeClosed(places);
      await turnOf(places, asker);
    }
    asker.hasBegun = true;
    try {
      return await work();
    } finally {
      removeClosed(places);
      const [next] = places.queue;
      // The place passes directly to the first waiting call: no other can take it in between.
      if (next) next.begin();
      else places.taken -= 1;
      if (places.taken === 0) accounts.delete(asker.accountId);
    }
  };
}
