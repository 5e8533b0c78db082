import type { Call } from '#contract/call.ts';
import { accountDbOf, type MemberDb, type MemberKey } from '../database/account-db.ts';
import type { Db } from '../database/db.ts';

/** What an account may use of the database in one web process. */
export interface AccountLimits {
  /** The most time of a statement, unless its call has its own (Call.statementSeconds). */
  readonly statementMs: number;
  /** Connections at once for reading, and as many for writing. */
  readonly connections: number;
  /** Calls that wait for a connection of either kind. */
  readonly waiting: number;
  readonly waitMs: number;
}

export const ACCOUNT_LIMITS: AccountLimits = { statementMs: 15_000, connections: 3, waiting: 60, waitMs: 10_000 };

/** A call got no connection: too many calls of its account were waiting, or its time or its request was over. */
export class TooManyAtOnce extends Error {
  readonly accountId: number;

  constructor(accountId: number) {
    super('too many calls of an account wait for a connection');
    this.accountId = accountId;
  }
}

/** Returns the database of the member who makes a call. @param isClosed whether its client has left */
export type MemberDbOf = (member: MemberKey, call: Call, isClosed: () => boolean) => MemberDb;

/**
 * Limits how long statements of an account take, and how many of its connections are in use at once.
 * Beyond that its calls wait in a queue. A call is refused (TooManyAtOnce) or leaves with its client only before its
 * first transaction: afterwards it may have changed something, or have sent a part of its answer. A call that only
 * reads leaves with its client at any time: nobody takes the rest of its answer.
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

/** A call that asks for connections. */
interface Asker {
  readonly accountId: number;
  readonly isClosed: () => boolean;
  readonly onlyReads: boolean;
  /** Whether it has had one. */
  hasBegun: boolean;
}

interface Waiting {
  readonly asker: Asker;
  readonly begin: () => void;
  readonly leave: () => void;
}

/** The places of one account: how many are taken, and who waits for one, in order of arrival. */
interface Places {
  taken: number;
  readonly queue: Set<Waiting>;
}

/** Makes a function that runs `work` in one of the places of the account, which it gets in its turn. */
function accountPlaces({ connections, waiting, waitMs }: AccountLimits) {
  const accounts = new Map<number, Places>();

  /** Removes the calls whose clients have left. Nothing listens for that: a connection may carry many calls. */
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
      // The place goes on to who waits: nobody else can take it in between.
      if (next) next.begin();
      else places.taken -= 1;
      if (places.taken === 0) accounts.delete(asker.accountId);
    }
  };
}
