import { type Expression, type SqlBool, sql } from 'kysely';
import type { LeftOutReason } from '#domain/sending/eligibility.ts';
import { type AccountDb, StatementTooSlow } from '../../platform/database/account-db.ts';
import type { FilteredList } from '../prospects/list/filtered-list.queries.ts';
import { addressKeyOf } from './chosen-address.queries.ts';
import type { EligibilityScope } from './eligibility.queries.ts';

/** The look-up is cancelled after this time: a list without targets is shown without it. */
const LOOK_UP_MS = 1000;

/** The companies that are compared, first contacts first: one may have had a later mail, as by a shared address. */
const CANDIDATES = 100;

/** The companies of a list that were mailed recently: their ids, or the list's definition by look-ups. */
export type RecentlySent = readonly number[] | Required<Pick<FilteredList<LeftOutReason>, 'prospects' | 'leftOut'>>;

/**
 * Reads the last contact of the company that the re-send interval releases first, in epoch milliseconds. It walks along
 * the contacts' times. null: no company was found, or not within LOOK_UP_MS.
 */
export async function readFirstRelease(
  account: AccountDb,
  scope: EligibilityScope,
  recent: RecentlySent,
): Promise<number | null> {
  try {
    return await account.snapshot(async (tx) => {
      await sql`SET LOCAL statement_timeout = ${sql.lit(LOOK_UP_MS)}`.execute(tx);
      const { rows } = await sql<{ at: Date | null }>`
        SELECT min(${lastContact(scope)}) AS at FROM prospect_search AS prospect
        WHERE prospect.account_id = ${scope.accountId} AND prospect.id = any(array(${candidates(scope, recent)}))
      `.execute(tx);
      return rows[0]?.at?.getTime() ?? null;
    });
  } catch (error) {
    if (error instanceof StatementTooSlow) return null;
    throw error;
  }
}

/** The last mail to a row's company or address, of all groups if the rule counts them (`recently_sent_elsewhere`). */
function lastContact({ accountId, senderGroupId, acrossGroups, sendTo }: EligibilityScope): Expression<unknown> {
  const whose = acrossGroups ? sql`true` : sql`sender_group_id = ${senderGroupId}`;
  const last = (table: 'contact_state' | 'address_contact', of: Expression<unknown>) => sql`(
    SELECT max(last_sent_at) FROM ${sql.table(table)} WHERE account_id = ${accountId} AND ${whose} AND ${of})`;
  return sql`greatest(
    ${last('contact_state', sql`prospect_id = prospect.id`)},
    ${last('address_contact', sql`address_key = ${addressKeyOf(sendTo)}`)})`;
}

function candidates(scope: EligibilityScope, recent: RecentlySent): Expression<unknown> {
  if (!('prospects' in recent)) return sql`SELECT unnest(${recent}::bigint[])`;
  const { accountId, senderGroupId, cutoff } = scope;
  const { prospects, leftOut } = recent;
  const isRecent = (id: string): Expression<unknown> =>
    prospects
      .select(sql<SqlBool>`${leftOut.reason(leftOut.facts)} = 'recently_sent'`.as('is_recent'))
      .where('prospect.id', '=', sql.ref<number>(id));
  const first = sql`ORDER BY contact.last_sent_at LIMIT ${sql.lit(CANDIDATES)}`;
  return sql`
    (SELECT contact.prospect_id FROM contact_state AS contact
      WHERE contact.account_id = ${accountId} AND contact.sender_group_id = ${senderGroupId}
        AND contact.last_sent_at >= ${cutoff} AND (${isRecent('contact.prospect_id')}) ${first})
    UNION ALL
    (SELECT shared.prospect_id FROM shared_address AS shared
      JOIN address_contact AS contact ON contact.account_id = shared.account_id
        AND contact.sender_group_id = ${senderGroupId} AND contact.address_key = shared.address_key
      WHERE shared.account_id = ${accountId} AND contact.last_sent_at >= ${cutoff}
        AND (${isRecent('shared.prospect_id')}) ${first})`;
}
