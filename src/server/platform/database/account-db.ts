import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import type { Db, Tx } from './db.ts';
import { withHint } from './driver/driver-hints.ts';

/** A person: one of the members of an account. */
export interface MemberKey {
  readonly accountId: number;
  readonly memberId: number;
}

/** The database scoped to one account. Every query names `id` itself; row level security is the second guard. */
export interface AccountDb {
  readonly id: number;
  /** The requesting member; null: a worker or a signed event. */
  readonly memberId: number | null;
  /**
   * Runs `work` in one transaction, and rolls back when it throws.
   * After a lost race (LOST_RACES) `work` runs again, so it must only query.
   * @throws if the account is frozen (isAccountFrozen)
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** The same, also while the account is frozen: for work that started before, and data that must be stored anyway. */
  whileFrozen<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Runs `work` in a read-only transaction whose queries all see one snapshot. */
  snapshot<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}

/** The same for a member: every request with a token gets one. */
export interface MemberDb extends AccountDb {
  readonly memberId: number;
}

export const memberKeyOf = ({ id, memberId }: MemberDb): MemberKey => ({ accountId: id, memberId });

/** Returns an account whose transactions do not check whether it is frozen. */
export const pastFreeze = <Account extends AccountDb>(account: Account): Account => ({
  ...account,
  transaction: account.whileFrozen,
});

/** How a kind of transaction starts and ends. */
interface Kind {
  readonly begin: string;
  /** Runs once the account is set. */
  readonly check?: string;
  readonly commit: CompiledQuery;
}
const WRITING_ALWAYS: Kind = { begin: 'BEGIN', commit: CompiledQuery.raw('COMMIT') };
const WRITING: Kind = { ...WRITING_ALWAYS, check: 'SELECT refuse_frozen()' };
const READING: Kind = {
  begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  commit: withHint(CompiledQuery.raw('COMMIT'), { kind: 'unawaited' }),
};

const QUERY_CANCELED = '57014';

/** PostgreSQL cancelled a statement: it ran or waited longer than the account's limit. */
export class StatementTooSlow extends Error {
  readonly accountId: number;

  constructor(accountId: number, cause: Error) {
    super('a statement was cancelled at its time limit', { cause });
    this.accountId = accountId;
  }
}

const isCancelled = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.code === QUERY_CANCELED;

/**
 * Returns a function that scopes the pool to an account.
 * @param api a pool of the role kaitaku_api, which sees no row until an account is set
 * @param statementMs the timeout of each statement; default: none, as for workers
 */
export const accountDbOf =
  (api: Db, statementMs = 0) =>
  <MemberId extends number | null>(
    accountId: number,
    memberId: MemberId,
  ): AccountDb & { readonly memberId: MemberId } => {
    const within =
      ({ begin, check, commit }: Kind) =>
      <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> =>
        api.connection().execute(async (connection) => {
          try {
            // Kysely's own transaction() adds two round trips before the first query: a fifth of a short request.
            // Not pg's option statement_timeout: it is a startup parameter, which PgBouncer refuses.
            const limit = statementMs > 0 && `SET LOCAL statement_timeout = ${BigInt(statementMs)}`;
            const opening = [begin, `SET LOCAL app.account_id = ${BigInt(accountId)}`, limit, check];
            const text = opening.filter(Boolean).join('; ');
            await connection.executeQuery(withHint(CompiledQuery.raw(text), { kind: 'with-next' }));
            const result = await work(connection as Tx);
            await connection.executeQuery(commit);
            return result;
          } catch (error) {
            await rollBack(connection, error);
            throw isCancelled(error) ? new StatementTooSlow(accountId, error) : error;
          }
        });
    const [write, writeAlways] = [within(WRITING), within(WRITING_ALWAYS)];
    return {
      id: accountId,
      memberId,
      transaction: (work) => retryLostRaces(() => write(work)),
      whileFrozen: (work) => retryLostRaces(() => writeAlways(work)),
      snapshot: within(READING),
    };
  };

const MAX_TRIES = 3;
/** The bounds of the random pause before a retry, so that two losers do not collide again. */
const PAUSE_MS = [20, 80] as const;

async function retryLostRaces<Result>(run: () => Promise<Result>, tries = MAX_TRIES): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (tries === 1 || !isLostRace(error)) throw error;
    // An immediate retry could take its first lock again before the waiting transaction, and deadlock once more.
    await sleep(randomInt(...PAUSE_MS));
    return retryLostRaces(run, tries - 1);
  }
}

/**
 * A deadlock, in which PostgreSQL aborts one transaction, and a foreign key to a row deleted after it was read. A retry
 * sees the other transaction's changes.
 */
const LOST_RACES = ['40P01', '23503'];
const isLostRace = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && LOST_RACES.includes(error.code ?? '');

/**
 * Rolls back, and reports a ROLLBACK that the server refuses.
 * A broken connection is not reported: the server rolls back itself, the pool drops the connection, and the first error
 * is more useful.
 */
async function rollBack(connection: Db, first: unknown): Promise<void> {
  try {
    await sql`ROLLBACK`.execute(connection);
  } catch (second) {
    const isThere = second instanceof pg.DatabaseError && second.severity === 'ERROR';
    if (isThere) throw new AggregateError([first, second], 'a transaction failed and could not be rolled back');
  }
}
