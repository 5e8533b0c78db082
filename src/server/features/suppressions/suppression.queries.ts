/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   lifted_suppression: note_undone_refusal → delivery
 *   prospect: recall_suppressions_inserted, recall_suppressions_updated → suppression, suppression_hash
 *   suppression: note_suppression → delivery
 *   suppression: notice_of_refusal → notice_event
 */
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { SuppressionKind } from '#domain/law/suppression.ts';
import type { DB } from '../../platform/database/db-types.ts';

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
 * Selects the prospects that the account must not mail: those with a suppressed address, and those in a suppressed
 * domain, some of them twice. It looks up each suppression by an index: an account has far fewer of them than
 * prospects. The index of addresses has no archived companies.
 */
export const suppressedIds = (accountId: number) => sql<{ prospect_id: number }>`
  SELECT known.id AS prospect_id FROM suppression
  JOIN prospect AS known ON known.email_search COLLATE "C" = suppression.value
  WHERE suppression.account_id = ${accountId} AND suppression.kind = 'address'
    AND known.account_id = ${accountId} AND known.archived_at IS NULL
  UNION ALL
  SELECT known.id FROM suppression
  CROSS JOIN LATERAL (
    SELECT id FROM prospect
    WHERE prospect.account_id = ${accountId} AND email_domain COLLATE "C" = suppression.value
      -- Literally the condition of prospect_domain_idx.
      AND email_domain IS NOT NULL
    -- Where many companies share a domain, the planner would read all of them for a join.
    OFFSET 0
  ) AS known
  WHERE suppression.account_id = ${accountId} AND suppression.kind = 'domain'`;
