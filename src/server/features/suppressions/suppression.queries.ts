import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { SUPPRESSION_CLASS_NAMES } from '#contract/suppression-names.ts';
import type { suppressionNotice } from '#contract/suppression-notice.ts';
import { addressKey, domainOf } from '#domain/address-key.ts';
import { SUPPRESSION_CLASSES, type SuppressionKind } from '#domain/suppression.ts';
import { formatSecond } from '#domain/tokyo-time.ts';
import type { Tx } from '../../platform/db.ts';
import type { DB } from '../../platform/db-types.ts';
import { isInByHash } from '../prospects/list/membership.queries.ts';

const eb = expressionBuilder<DB, never>();

/** An account: its id, or the column that holds it. */
type AccountId = number | Expression<number>;

/** Selects the suppressed addresses or domains of an account, in lower case. */
const suppressed = (kind: SuppressionKind, accountId: AccountId) =>
  eb
    .selectFrom('suppression')
    .select('suppression.value')
    .where('suppression.account_id', '=', accountId)
    .where('suppression.kind', '=', kind);

const domainIn = (address: Expression<string | null>) => sql<string | null>`split_part(${address}, '@', -1)`;

/** Checks, for a single row, whether the account must not mail an address. @param address in lower case */
export function isSuppressed(accountId: AccountId, address: Expression<string | null>): Expression<SqlBool> {
  const has = (kind: SuppressionKind, value: Expression<string | null>) =>
    eb.exists(suppressed(kind, accountId).where('suppression.value', '=', value));
  return eb.or([has('address', address), has('domain', domainIn(address))]);
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
    isInByHash(suppressed('domain', accountId), domainIn(address)),
  ]);

type Notice = z.output<typeof suppressionNotice>;

/**
 * Reads why the account must not mail an address. Of several reasons the owner's own will comes first.
 * @returns null for an address that it may mail, or for none
 */
export async function readSuppression(tx: Tx, accountId: number, address: string | null): Promise<Notice | null> {
  if (address === null) return null;
  const key = addressKey(address);
  const domain = domainOf(key);
  const { rows } = await sql<Omit<Notice, 'created_at'> & { readonly created_at: Date }>`
    SELECT id, kind, class, source, reason, created_at FROM suppression
    WHERE account_id = ${accountId} AND (kind = 'address' AND value = ${key} OR kind = 'domain' AND value = ${domain})
    ORDER BY array_position(${SUPPRESSION_CLASSES}::text[], class), kind
    LIMIT 1`.execute(tx);
  const [found] = rows;
  if (!found) return null;
  const reason = found.reason || SUPPRESSION_CLASS_NAMES[found.class];
  return { ...found, reason, created_at: formatSecond(found.created_at.getTime()) };
}
