import { sql } from 'kysely';
import type pg from 'pg';
import type { Db, Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import { SealBroken, type Sealed, type SealedRow, type Secrets } from '../../platform/secrets/secrets.ts';

/** A sealed value with the row that it belongs to. */
export type StoredSeal = SealedRow & Sealed;

/**
 * Selects all sealed values, as account_id, row, kind, secret and secret_key. Each kind of a table has its branch here,
 * and its rows in `placeOf`.
 */
const SEALED = `
  SELECT account_id, member_id AS row, 'totp' AS kind, secret, secret_key FROM member_totp
  UNION ALL SELECT account_id, account_id, 'oidc', secret, secret_key FROM oidc
  UNION ALL SELECT account_id, id, 'mailbox', secret, secret_key FROM mailbox WHERE secret IS NOT NULL
  UNION ALL SELECT account_id, account_id, 'oauth_' || provider, secret, secret_key FROM oauth_app`;

/** Reads the sealed values, all or of one account. As kaitaku_service, or as the account. */
export async function readSeals(db: Db, accountId?: number): Promise<readonly StoredSeal[]> {
  const ofAccount = accountId === undefined ? sql`` : sql`WHERE account_id = ${accountId}`;
  const { rows } = await sql<StoredSeal>`
    SELECT account_id AS "accountId", row, kind, secret, secret_key FROM (${sql.raw(SEALED)}) AS sealed ${ofAccount}
    ORDER BY 1, 3 DESC, 2`.execute(db);
  return rows;
}

/** Stores a value that was sealed anew. @returns whether the row still had the former one */
export async function replaceSeal(tx: Tx, seal: StoredSeal, anew: Sealed): Promise<boolean> {
  const { secret, secret_key } = anew;
  const { table, isRow } = placeOf(seal);
  const replaced = await sql`
    UPDATE ${sql.table(table)} SET secret = ${secret}, secret_key = ${secret_key} WHERE ${isRow}
    RETURNING 1`.execute(tx);
  return replaced.rows.length > 0;
}

/** Deletes a value, with the row that it is for: only a mailbox stays, and must be connected anew. */
export async function deleteSeal(tx: Tx, seal: StoredSeal): Promise<void> {
  const { table, isRow } = placeOf(seal);
  const deleted =
    seal.kind === 'mailbox'
      ? sql`UPDATE mailbox SET secret = NULL, secret_key = NULL, state = 'reconnect' WHERE ${isRow}`
      : sql`DELETE FROM ${sql.table(table)} WHERE ${isRow}`;
  await deleted.execute(tx);
}

/** Returns where a value stands: its table, and the condition of its row while that still has it. */
function placeOf({ accountId, kind, row, secret }: StoredSeal) {
  const own = sql`account_id = ${accountId} AND secret = ${secret}`;
  switch (kind) {
    case 'totp':
      return { table: 'member_totp', isRow: sql`${own} AND member_id = ${row}` };
    case 'oidc':
      return { table: 'oidc', isRow: own };
    case 'mailbox':
      return { table: 'mailbox', isRow: sql`${own} AND id = ${row}` };
    case 'oauth_google':
    case 'oauth_microsoft':
      return { table: 'oauth_app', isRow: sql`${own} AND 'oauth_' || provider = ${kind}` };
  }
}

/** Whether a value opens with the present keys. A value that was changed does not. */
export function opens(secrets: Secrets, seal: StoredSeal): boolean {
  try {
    return !(secrets.open(seal, seal) instanceof Problem);
  } catch (error) {
    if (error instanceof SealBroken) return false;
    throw error;
  }
}

/**
 * Refuses to copy an account to a database with another key than that of its sealed rows.
 * @param home as kaitaku_service
 */
export async function sealsProblem(
  home: Pick<pg.ClientBase, 'query'>,
  target: Pick<pg.ClientBase, 'query'>,
  accountId: number,
): Promise<Refusal | null> {
  const there = await target.query<{ secret_key: number | null }>('SELECT secret_key FROM installation');
  const others = await home.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM (${SEALED}) AS sealed
     WHERE account_id = $1 AND secret_key IS DISTINCT FROM $2`,
    [accountId, onlyRow(there.rows).secret_key],
  );
  const { count } = onlyRow(others.rows);
  if (count === 0) return null;
  return new Problem(
    'other_secret_key',
    `移行元の鍵で暗号化した値（二段階認証、会社のIDでのログイン、メールボックス）が${count}件あり、移行先の鍵が同じだと確かめられません。` +
      '両方のセルの SECRET_KEY を同じ鍵にし、移行先で secrets rotate を実行してから、やり直してください。',
  );
}

/** Selects the accounts with sealed values. */
export async function accountsWithSeals(db: Db): Promise<readonly { id: number; hasMoved: boolean }[]> {
  const { rows } = await sql<{ id: number; hasMoved: boolean }>`
    SELECT id, moved_to IS NOT NULL AS "hasMoved" FROM account
    WHERE id IN (SELECT account_id FROM (${sql.raw(SEALED)}) AS sealed) ORDER BY id`.execute(db);
  return rows;
}
