import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/database/db.ts';
import { lockKeyOf } from '../../platform/database/lock-account.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';

/**
 * The first keys of advisory locks: each of these runs once at a time for an account. `move`: from here, to here, and a
 * delete of what a move has left.
 */
const LOCKS = { move: 4_202_618, passOn: 4_202_619, thaw: 4_202_620 } as const;

const lockKey = (accountId: number, what: keyof typeof LOCKS) =>
  sql`${LOCKS[what]}::integer, ${lockKeyOf(accountId)}::integer`;

/**
 * Runs work unless another process does this for the account.
 * @param work gets the connection that has the lock
 * @returns null: another process does it
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
  // Held for this statement alone.
  const { rows } = await sql<{ is: boolean }>`
    SELECT NOT pg_try_advisory_xact_lock(${lockKey(accountId, 'move')}) AS is`.execute(db);
  return onlyRow(rows).is;
}

/** The parameters of the lock of a move, for a client without Kysely. */
export const moveLockKey = (accountId: number): readonly [number, number] => [LOCKS.move, lockKeyOf(accountId)];

/** Whether a thaw carries out what is held, bit by bit; none begins in this transaction. */
export async function isThawing(tx: Tx, accountId: number): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    SELECT NOT pg_try_advisory_xact_lock(${lockKey(accountId, 'thaw')}) AS is`.execute(tx);
  return onlyRow(rows).is;
}

export const underWay = () =>
  new Problem('moving', 'このアカウントの account move、account thaw か account delete が、すでに動いています。');

/** How far the move of an account is. */
export interface Moving {
  readonly isFrozen: boolean;
  readonly moveNumber: number;
  /** The origin of its new home; null: it lives here. */
  readonly movedTo: string | null;
  /** It is a copy, whose account has not left its home yet. */
  readonly isArriving: boolean;
}

/** Locks the row of an account: freeze, thaw, move and what is held of it take turns. */
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

/** Of a copy: the account still lives elsewhere, and only its move may let the copy go on. */
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

/** What a target knows of the account. */
export interface There {
  readonly isArriving: boolean;
  readonly movedTo: string | null;
  readonly moves: number;
}

/**
 * Says why a copy may not take the place of what a target has of the account; null: it may. An older copy is replaced,
 * and so is what stayed where the account has lived.
 * @param moves of the account at its home
 */
export function thereFault(accountId: number, there: There | undefined, moves: number): Refusal | null {
  if (there === undefined || there.isArriving) return null;
  if (there.movedTo === null) return livesThere(accountId);
  return there.moves < moves ? null : leftLater(there.movedTo);
}

/** The home is in an older state: since then the account was at the target, and has left it. */
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
