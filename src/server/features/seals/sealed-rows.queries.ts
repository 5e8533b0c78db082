import { sql } from 'kysely';
import type pg from 'pg';
import type { Db, Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import type { Sealed, SealedRow, Secrets } from '../../platform/secrets/secrets.ts';

/** A sealed value with the row that it belongs to. */
export type StoredSeal = SealedRow & Sealed;

/** Reads the sealed values, all or of one account. As kaitaku_service, or as the account. */
export async function readSeals(db: Db, accountId?: number): Promise<readonly StoredSeal[]> {
  const ofAccount = accountId === undefined ? sql`` : sql`WHERE account_id = ${accountId}`;
  const { rows } = await sql<StoredSeal>`
    SELECT account_id AS "accountId", member_id AS row, 'totp' AS kind, secret, secret_key FROM member_totp ${ofAccount}
    UNION ALL
    SELECT account_id, account_id, 'oidc', secret, secret_key FROM oidc ${ofAccount}
    ORDER BY 1, 3 DESC, 2`.execute(db);
  return rows;
}

/** Stores a value that was sealed anew. @returns whether the row still had the former one */
export async function replaceSeal(tx: Tx, seal: StoredSeal, anew: Sealed): Promise<boolean> {
  const { secret, secret_key } = anew;
  const replaced = await sql`
    UPDATE ${tableOf(seal)} SET secret = ${secret}, secret_key = ${secret_key} WHERE ${isRow(seal)}
    RETURNING 1`.execute(tx);
  return replaced.rows.length > 0;
}

/** Deletes the row of a value, with what it is for. */
export const deleteSeal = (tx: Tx, seal: StoredSeal): Promise<unknown> =>
  sql`DELETE FROM ${tableOf(seal)} WHERE ${isRow(seal)}`.execute(tx);

const tableOf = ({ kind }: SealedRow) => sql.table(kind === 'totp' ? 'member_totp' : 'oidc');

const isRow = ({ accountId, kind, row, secret }: StoredSeal) =>
  sql`account_id = ${accountId} AND secret = ${secret} ${kind === 'totp' ? sql`AND member_id = ${row}` : sql``}`;

/** Whether a value opens with the present keys. A value that was changed does not. */
export function opens(secrets: Secrets, seal: StoredSeal): boolean {
  try {
    return !(secrets.open(seal, seal) instanceof Problem);
  } catch {
    return false;
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
    `SELECT count(*)::integer AS count FROM (
       SELECT account_id, secret_key FROM member_totp UNION ALL SELECT account_id, secret_key FROM oidc) AS sealed
     WHERE account_id = $1 AND secret_key IS DISTINCT FROM $2`,
    [accountId, onlyRow(there.rows).secret_key],
  );
  const { count } = onlyRow(others.rows);
  if (count === 0) return null;
  return new Problem(
    'other_secret_key',
    `移行元の鍵で暗号化した値（二段階認証、会社のIDでのログイン）が${count}件あり、移行先の鍵が同じだと確かめられません。` +
      '両方のセルの SECRET_KEY を同じ鍵にし、移行先で secrets rotate を実行してから、やり直してください。',
  );
}

/** Selects the accounts with sealed values. */
export async function accountsWithSeals(db: Db): Promise<readonly { id: number; hasMoved: boolean }[]> {
  const { rows } = await sql<{ id: number; hasMoved: boolean }>`
    SELECT id, moved_to IS NOT NULL AS "hasMoved" FROM account
    WHERE id IN (SELECT account_id FROM member_totp UNION SELECT account_id FROM oidc) ORDER BY id`.execute(db);
  return rows;
}
