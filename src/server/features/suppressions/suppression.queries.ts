import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { DB } from '../../platform/db-types.ts';
import { isInByHash } from '../prospects/list/membership.queries.ts';

const eb = expressionBuilder<DB, never>();

type Kind = 'address' | 'domain';

/** The suppressed addresses or domains of an account, in lower case. */
const suppressed = (kind: Kind, accountId: number) =>
  eb
    .selectFrom('suppression')
    .select('suppression.value')
    .where('suppression.account_id', '=', accountId)
    .where('suppression.kind', '=', kind);

const domainOf = (address: Expression<string | null>) => sql<string | null>`split_part(${address}, '@', -1)`;

/** Whether the account must not mail an address. For single rows. @param address in lower case */
export function isSuppressed(accountId: number, address: Expression<string | null>): Expression<SqlBool> {
  const has = (kind: Kind, value: Expression<string | null>) =>
    eb.exists(suppressed(kind, accountId).where('suppression.value', '=', value));
  return eb.or([has('address', address), has('domain', domainOf(address))]);
}

/** The prospects with a suppressed address, found by the index of addresses: suppressed addresses are few beside prospects. */
const suppressedIds = (accountId: number) =>
  suppressed('address', accountId)
    .innerJoin('prospect as known', (join) => join.on(sql<SqlBool>`known.email_search COLLATE "C" = suppression.value`))
    .where('known.account_id', '=', accountId)
    .clearSelect()
    .select('known.id');

/**
 * The same condition for a scan of `prospect`: the suppressed ids and domains are hashed once.
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

/** Suppresses addresses: their accounts do not mail them again. */
export async function suppressAddresses(tx: Tx, addresses: readonly Suppressed[]): Promise<void> {
  if (addresses.length === 0) return;
  const column = (name: keyof Suppressed) => addresses.map((one) => one[name]);
  await insertSuppressions(sql`
    unnest(${column('accountId')}::bigint[], ${column('address')}::text[], ${column('reason')}::text[])
      AS suppressed (account_id, address, reason)`).execute(tx);
}

/**
 * Inserts suppressions, for a CTE. The fixed order keeps two transactions with the same addresses from a deadlock.
 * @param rows what follows FROM, with account_id, address, reason
 */
export const insertSuppressions = (rows: Expression<unknown>) => sql`
  INSERT INTO suppression (account_id, kind, value, reason)
  SELECT account_id, 'address', lower(address), reason FROM ${rows}
  ORDER BY account_id, lower(address) COLLATE "C"
  ON CONFLICT DO NOTHING`;
