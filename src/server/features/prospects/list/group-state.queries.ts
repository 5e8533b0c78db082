import { expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DB } from '../../../platform/database/db-types.ts';
import type { ProspectIds } from './membership.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

/**
 * Selects the prospects for which a group or its account has recorded a fact, as one set for each fact. No row means
 * nothing recorded.
 */

const eb = expressionBuilder<DB, never>();

/** Archived companies. No list has them, but a group's records about them are kept. */
export const archivedIds = ({ accountId }: Pick<GroupScope, 'accountId'>): ProspectIds =>
  eb
    .selectFrom('prospect as archived')
    .select('archived.id as prospect_id')
    .where('archived.account_id', '=', accountId)
    .where('archived.archived_at', 'is not', null) as never;

/** Companies that decline sales mails where they publish their address. A partial index has only them. */
export const noticeIds = ({ accountId }: Pick<GroupScope, 'accountId'>): ProspectIds =>
  eb
    .selectFrom('prospect as noticed')
    .select('noticed.id as prospect_id')
    .where('noticed.account_id', '=', accountId)
    // As a literal: with a parameter the planner could not use the partial index.
    .where(sql<SqlBool>`noticed.publication_notice = 'refused'`) as never;

/** Companies with a reply that nobody has handled yet. A partial index has only them. */
export const repliedIds = ({ accountId }: Pick<GroupScope, 'accountId'>): ProspectIds =>
  eb
    .selectFrom('reply')
    .select('reply.prospect_id')
    .where('reply.account_id', '=', accountId)
    // The text of the condition of reply_open_idx.
    .where(sql<SqlBool>`reply.kind <> 'auto_reply' AND reply.handled_at IS NULL`) as never;

/** Deactivated prospects. A prospect without a row is active. */
export const inactiveIds = ({ accountId, senderGroupId }: GroupScope): ProspectIds =>
  eb
    .selectFrom('active_prospect')
    .select('prospect_id')
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    .where('active', '=', false) as never;

/** Prospects with remarks. */
export const remarkedIds = ({ accountId, senderGroupId }: GroupScope): ProspectIds =>
  eb
    .selectFrom('active_prospect')
    .select('prospect_id')
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    .where('remarks', '<>', '') as never;

/** Prospects that the group has mailed; with `since`, at or after that instant. Test mails do not count. */
export const contactedIds = ({ accountId, senderGroupId }: GroupScope, since?: Date): ProspectIds =>
  eb
    .selectFrom('contact_state')
    .select('prospect_id')
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    .$if(since !== undefined, (query) => query.where('last_sent_at', '>=', since as Date)) as never;

/** Selects prospects that the account's other groups mailed since an instant. May repeat ids. */
export const ofOtherGroups = (
  { accountId, senderGroupId }: GroupScope,
  table: 'contact_state' | 'address_contact',
  column: 'prospect_id' | 'address_key',
  since: Date,
): RawBuilder<unknown> => sql`
  SELECT contact.${sql.ref(column)} FROM sender_group AS other
  CROSS JOIN LATERAL (
    SELECT ${sql.ref(column)} FROM ${sql.table(table)}
    WHERE account_id = ${accountId} AND sender_group_id = other.id AND last_sent_at >= ${since}
    -- Else the planner would read the contacts of all accounts.
    OFFSET 0
  ) AS contact
  WHERE other.account_id = ${accountId} AND other.id <> ${senderGroupId}`;

/** Targets of the group's pending reservations, except tests and the reservation `except`. */
export const reservedIds = ({ accountId, senderGroupId }: GroupScope, except?: number): ProspectIds =>
  eb
    .selectFrom('reservation_target')
    .select('prospect_id')
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    // As literals: with a parameter the planner could not use the partial unique index.
    .where((where) => where.and([where.ref('pending'), where.not('test_send_mode')]))
    .$if(except !== undefined, (query) => query.where('reservation_id', '<>', except as number)) as never;
