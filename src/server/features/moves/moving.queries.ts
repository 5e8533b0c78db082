import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/database/db.ts';
import { lockKeyOf } from '../../platform/database/lock-account.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';

/**
 * The first keys of advisory locks: each of these runs once at a time for an account. `move`: moves to and from here,
 * and the delete after a move.
 */
const LOCKS = { move: 4_202_618, passOn: 4_202_619, thaw: 4_202_620 } as const;

const lockKey = (accountId: number, what: keyof typeof LOCKS) =>
  sql`${LOCKS[what]}::integer, ${lockKeyOf(accountId)}::integer`;

/**
 * Runs work unless another process runs it for the account.
 * @param work gets the connection that has the lock
 * @returns null: another process runs it
 */
export const alone = <Result>(
  db: Db,
  { accountId, what }: { readonly accountId: number; readonly what: keyof typeof LOCKS },
  work: (connection: Db) => Promise<Result>,
): Promise<Result | null> =>
  db.connection().execute(async (connection) => {
    const key = lockKey(accountId, what);
    const { rows } = await sql<{ is: boolean }>`SELECT pg_try_advisory_lock(${key}) AS is`.execute(connection);
    if (!onlyRow(rows).is) return null;
    try {
      return await work(connection);
    } finally {
      await sql`SELECT pg_advisory_unlock(${key})`.execute(connection);
    }
  });

/** Whether a move or a delete of an account runs on this database. */
export async function isBusy(db: Db, accountId: number): Promise<boolean> {
  // The lock is held only for this statement.
  const { rows } = await sql<{ is: boolean }>`
    SELECT NOT pg_try_advisory_xact_lock(${lockKey(accountId, 'move')}) AS is`.execute(db);
  return onlyRow(rows).is;
}

/** The parameters of the move lock, for a client without Kysely. */
export const moveLockKey = (accountId: number): readonly [number, number] => [LOCKS.move, lockKeyOf(accountId)];

/** Whether a thaw is processing held requests; none can start in this transaction. */
export async function isThawing(tx: Tx, accountId: number): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    SELECT NOT pg_try_advisory_xact_lock(${lockKey(accountId, 'thaw')}) AS is`.execute(tx);
  return onlyRow(rows).is;
}

export const underWay = () =>
  new Problem('moving', 'このアカウントの account move、account thaw か account delete が、すでに動いています。');

/** The state of an account's move. */
export interface Moving {
  readonly isFrozen: boolean;
  readonly moveNumber: number;
  /** The origin of its new home; null: it lives here. */
  readonly movedTo: string | null;
  /** The row is a copy whose account has not left its home yet. */
  readonly isArriving: boolean;
}

/** Locks an account's row, so that freeze, thaw, move and held requests take turns. */
export async function lockMoving(tx: Tx, accountId: number): Promise<Moving> {
  const row = await tx
    .selectFrom('account')
    .select(['frozen_at', 'move_number', 'moved_to', 'is_arriving'])
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const { frozen_at, move_number, moved_to, is_arriving } = row;
  return { isFrozen: frozen_at !== null, moveNumber: move_number, movedTo: moved_to, isArriving: is_arriving };
}

export const movedAway = (home: string) =>
  new Problem('moved', `このアカウントは ${home} に移りました。このサーバーでは、もう変えられません。`);

/** The refusal for a copy whose account still lives elsewhere: only its move may thaw it. */
export const stillArriving = () =>
  new Problem(
    'arriving',
    'このアカウントは移ってくる途中のコピーです。移行元で account move をもう一度実行すると、移行が完了します。',
  );

export const thawedMeanwhile = () =>
  new Problem(
    'thawed_meanwhile',
    'コピーしている間に、移行元で account thaw が実行されました。アカウントは移行元で動いています。もう一度実行すると、コピーからやり直します。',
  );

/** A target's data about the account. */
export interface There {
  readonly isArriving: boolean;
  readonly movedTo: string | null;
  readonly moves: number;
}

/**
 * Returns why a copy may not replace a target's data of the account; null: it may. It may replace an older copy, and
 * the remains of an earlier stay.
 * @param moves of the account at its home
 */
export function thereFault(accountId: number, there: There | undefined, moves: number): Refusal | null {
  if (there === undefined || there.isArriving) return null;
  if (there.movedTo === null) return livesThere(accountId);
  return there.moves < moves ? null : leftLater(there.movedTo);
}

/** The home was set back: since that state the account came to the target and left it again. */
const leftLater = (home: string) =>
  new Problem(
    'left_later',
    `移行先の記録では、このアカウントはもっと後に ${home} へ移りました。移行元のデータベースが過去の状態に戻っていないか、確認してください。`,
  );

const livesThere = (accountId: number) =>
  new Problem(
    'lives_there',
    `移行先には、番号 ${accountId} のアカウントがすでにあります。移行先を確認してください（セルごとに別の CELL が必要です）。`,
  );
