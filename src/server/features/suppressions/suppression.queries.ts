import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { addressKey } from '#domain/address-key.ts';
import type { Tx } from '../../platform/db.ts';
import type { DB } from '../../platform/db-types.ts';
import { isInByHash } from '../prospects/list/membership.queries.ts';

const eb = expressionBuilder<DB, never>();

type Kind = 'address' | 'domain';

/** Selects the suppressed addresses or domains of an account, in lower case. */
const suppressed = (kind: Kind, accountId: number) =>
  eb
    .selectFrom('suppression')
    .select('suppression.value')
    .where('suppression.account_id', '=', accountId)
    .where('suppression.kind', '=', kind);

const domainOf = (address: Expression<string | null>) => sql<string | null>`split_part(${address}, '@', -1)`;

/** Checks, for a single row, whether the account must not mail an address. @param address in lower case */
export function isSuppressed(accountId: number, address: Expression<string | null>): Expression<SqlBool> {
  const has = (kind: Kind, value: Expression<string | null>) =>
    eb.exists(suppressed(kind, accountId).where('suppression.value', '=', value));
  return eb.or([has('address', address), has('domain', domainOf(address))]);
}

/**
 * Selects the prospects on a list with a suppressed address.
 * It looks up each suppression in the index of addresses, which has no archived companies.
 */
const suppressedIds = (accountId: number) =>
  suppressed('address', accountId)
    .innerJoin('prospect as known', (join) => join.on(sql<SqlBool>`known.email_search COLLATE "C" = suppression.value`))
    .where('known.account_id', '=', accountId)
    .where('known.archived_at', 'is', null)
    .clearSelect()
    .select('known.id');

/**
 * Checks the same condition in a scan of `prospect`. The suppressed ids and domains are hashed once.
 * The ids come by the index, because an account has far fewer suppressions than prospects.
 * @param address of the row, in lower case
 */
export const isSuppressedInScan = (accountId: number, address: Expression<string | null>): Expression<SqlBool> =>
  eb.or([
    // Unnested from an array, because the planner expects too many ids for a hash.
    isInByHash(sql`SELECT unnest(array(${suppressedIds(accountId)}))`),
    isInByHash(suppressed('domain', accountId), domainOf(address)),
  ]);

interface Suppressed {
  readonly accountId: number;
  readonly address: string;
  readonly reason: string;
}

/** Suppresses addresses, so that their accounts do not mail them again. @param addresses in upper or lower case */
export async function suppressAddresses(tx: Tx, addresses: readonly Suppressed[]): Promise<void> {
  if (addresses.length === 0) return;
  const column = (name: keyof Suppressed) => addresses.map((one) => one[name]);
  await insertSuppressions(sql`
    unnest(${column('accountId')}::bigint[], ${column('address')}::text[], ${column('reason')}::text[])
      AS suppressed (account_id, address, reason)`).execute(tx);
}

/**
 * Returns the INSERT of suppressions, for a CTE. Addresses that are suppressed already are ignored.
 * The fixed order prevents a deadlock of two transactions with the same addresses.
 * @param rows what follows FROM, with account_id, address, reason
 */
export const insertSuppressions = (rows: Expression<unknown>) => sql`
  INSERT INTO suppression (account_id, kind, value, reason)
  SELECT account_id, 'address', lower(address), reason FROM ${rows}
  ORDER BY account_id, lower(address) COLLATE "C"
  ON CONFLICT DO NOTHING`;

/** Reads why the account must not mail an address. @returns null for an address that it may mail, or for none */
export async function readSuppression(
  tx: Tx,
  accountId: number,
  address: string | null,
): Promise<{ kind: Kind; reason: string } | null> {
  if (address === null) return null;
  const key = addressKey(address);
  const domain = key.slice(key.lastIndexOf('@') + 1);
  const { rows } = await sql<{ kind: Kind; reason: string }>`
    SELECT kind, reason FROM suppression
    WHERE account_id = ${accountId} AND (kind = 'address' AND value = ${key} OR kind = 'domain' AND value = ${domain})
    ORDER BY kind
    LIMIT 1`.execute(tx);
  return rows[0] ?? null;
}
