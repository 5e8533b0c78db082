import { sql } from 'kysely';
import type { SuppressionSource } from '#domain/law/suppression.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount, shareAccount } from '../../platform/database/lock-account.ts';
import { onlyRow } from '../../platform/database/only-row.ts';

/*
 * Suppressions of erased addresses, stored as hashes only (decisions/personal-data). Triggers of `prospect` and
 * `person` restore plain ones as soon as such an address is added again. Lists and claims therefore need not read the
 * hashes.
 */

/**
 * Replaces an address's suppressions by hashes. Keeps those of its domain, which identify nobody.
 * @param address in the form of addressKey
 * @param addRefusal adds an opt-out of its owner
 */
export async function hashSuppressions(
  tx: Tx,
  accountId: number,
  address: string,
  { addRefusal }: { readonly addRefusal: boolean },
): Promise<void> {
  await sql`
    WITH gone AS (
      DELETE FROM suppression WHERE account_id = ${accountId} AND kind = 'address' AND value = ${address}
      RETURNING class, source, created_at
    )
    INSERT INTO suppression_hash (account_id, hash, class, source, created_at)
    SELECT ${accountId}::bigint, address_hash(${accountId}, ${address}), class, source, created_at FROM gone
    ON CONFLICT DO NOTHING`.execute(tx);
  await sql`
    DELETE FROM lifted_suppression
    WHERE account_id = ${accountId} AND kind = 'address' AND value = ${address}`.execute(tx);
  if (!addRefusal) return;
  await sql`
    INSERT INTO suppression_hash (account_id, hash, class, source)
    VALUES (${accountId}, address_hash(${accountId}, ${address}), 'refused', 'erased')
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** As address_hash(), which would read the account for each row. @param column of addresses, beside `account` */
export const hashOf = (column: string) => sql`sha256(account.hash_salt || convert_to(${sql.ref(column)}, 'UTF8'))`;

/** Checks whether an erased mail went to an address. @param hash of address_hash() @param address in lower case */
export async function isHashOf(tx: Tx, accountId: number, hash: Buffer, address: string): Promise<boolean> {
  const { rows } = await sql<{ isSame: boolean }>`
    SELECT address_hash(${accountId}, ${address}) = ${hash} AS "isSame"`.execute(tx);
  return onlyRow(rows).isSame;
}

/**
 * Finds when the owner of an erased address opted out. The address may have been added again since.
 * @param hash of address_hash()
 * @returns null: the owner has not opted out
 */
export async function readHashedRefusal(tx: Tx, accountId: number, hash: Buffer): Promise<Date | null> {
  const kept = await readKeptRefusal(tx, accountId, hash);
  if (kept) return kept;
  // Runs last, because it reads all opted-out addresses of the account.
  const { rows } = await sql<{ at: Date | null }>`
    SELECT min(suppression.created_at) AS at FROM suppression JOIN account ON account.id = suppression.account_id
    WHERE ${isRefusalOf(accountId, hash)}`.execute(tx);
  return onlyRow(rows).at;
}

async function readKeptRefusal(tx: Tx, accountId: number, hash: Buffer): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date }>`
    SELECT created_at AS at FROM suppression_hash
    WHERE account_id = ${accountId} AND hash = ${hash} AND class = 'refused'`.execute(tx);
  return rows[0]?.at;
}

/** Selects rows of suppression, beside `account`, that suppress an erased address that was added again. */
const isRefusalOf = (accountId: number, hash: Buffer) => sql`suppression.account_id = ${accountId}
  AND suppression.kind = 'address' AND suppression.class = 'refused' AND ${hashOf('suppression.value')} = ${hash}`;

/**
 * Suppresses an erased address, unless its owner has already opted out.
 * Waits for a company being saved with the address, and for a concurrent undo by another mail.
 * @param hash of address_hash()
 * @returns when the owner had opted out; or the ids of new suppressions, whose open mails are still to be cancelled
 */
export async function refuseHashed(
  tx: Tx,
  accountId: number,
  hash: Buffer,
  source: SuppressionSource,
): Promise<{ readonly refusedAt: Date } | { readonly ids: number[] }> {
  const kept = await readKeptRefusal(tx, accountId, hash);
  if (kept) return { refusedAt: kept };
  await lockAccount(tx, accountId);
  await sql`
    UPDATE suppression SET undo_until = NULL FROM account
    WHERE account.id = suppression.account_id AND undo_until IS NOT NULL
      AND ${isRefusalOf(accountId, hash)}`.execute(tx);
  const refusedAt = await readHashedRefusal(tx, accountId, hash);
  return refusedAt ? { refusedAt } : { ids: await addHashedRefusal(tx, accountId, hash, source) };
}

/**
 * Restores plain suppressions from hashes added during an import, for addresses that the import adds.
 * Neither transaction saw the other. Blocks opt-outs until the commit, so that none is added in between.
 */
export async function recallNewHashes(tx: Tx, accountId: number): Promise<void> {
  await shareAccount(tx, accountId);
  // The tables' triggers do the rest. An opt-out takes less than a minute.
  const isNew = sql`account_id = ${accountId} AND created_at > now() - interval '1 minute'`;
  const { rows } = await sql`SELECT FROM suppression_hash WHERE ${isNew} LIMIT 1`.execute(tx);
  if (rows.length === 0) return;
  for (const table of ['prospect', 'person']) {
    const own = sql.table(table);
    await sql`
      UPDATE ${own} SET email_search = email_search FROM account
      WHERE account.id = ${own}.account_id AND ${own}.account_id = ${accountId} AND email_search <> ''
        AND ${hashOf(`${table}.email_search`)} IN (SELECT hash FROM suppression_hash WHERE ${isNew})`.execute(tx);
  }
}

/**
 * Adds an opt-out of an erased address: a plain one if the address was added again, otherwise a hash.
 * Not both: a hash beside a plain one would restore it after it was lifted.
 * @param hash of address_hash()
 * @returns the ids of plain ones, whose open mails are still to be cancelled
 */
async function addHashedRefusal(tx: Tx, accountId: number, hash: Buffer, source: SuppressionSource): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    WITH known AS MATERIALIZED (
      SELECT email_search FROM prospect JOIN account ON account.id = prospect.account_id
      WHERE account_id = ${accountId} AND email_search <> '' AND ${hashOf('prospect.email_search')} = ${hash}
      UNION SELECT email_search COLLATE "default" FROM person JOIN account ON account.id = person.account_id
      WHERE account_id = ${accountId} AND email_search <> '' AND ${hashOf('person.email_search')} = ${hash}
    ), hashed AS (
      INSERT INTO suppression_hash (account_id, hash, class, source)
      SELECT ${accountId}::bigint, ${hash}::bytea, 'refused', ${source}::text WHERE NOT EXISTS (SELECT FROM known)
      ON CONFLICT DO NOTHING
    )
    INSERT INTO suppression (account_id, kind, value, class, source, cancels_mails)
    SELECT ${accountId}::bigint, 'address', email_search, 'refused', ${source}::text, true FROM known
    ON CONFLICT DO NOTHING
    RETURNING id`.execute(tx);
  return rows.map(({ id }) => id);
}
