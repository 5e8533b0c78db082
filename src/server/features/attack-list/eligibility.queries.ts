import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/eligibility.ts';
import type { DB } from '../../platform/db-types.ts';
import type { FoundList } from '../prospects/list/filtered-list.queries.ts';
import {
  contactedIds,
  holdsFor,
  inactiveIds,
  isOneOf,
  type ProspectIds,
  reservedIds,
} from '../prospects/list/group-state.queries.ts';
import { searchedProspects } from '../prospects/list/prospect-filter.queries.ts';
import type { GroupScope } from '../prospects/list/sender-group.queries.ts';
import { isSuppressed, isSuppressedInScan } from '../suppressions/suppression.queries.ts';

/**
 * Which prospects may be mailed now, in SQL, for any query from `prospect`. src/domain/eligibility.ts states the same rule, and
 * test/rules-agree.test.ts holds the two against each other.
 */
export interface EligibilityScope extends GroupScope {
  /** A last mail at this instant or later is too recent: resendCutoff of src/domain/eligibility.ts. */
  readonly cutoff: Date;
  /** A reservation that falls due must not be stopped by its own targets, nor a run by its own deliveries. */
  readonly exceptReservationId?: number;
  readonly exceptSendLogId?: number;
}

const eb = expressionBuilder<DB, never>();

type AddressKeys = SelectQueryBuilder<DB, never, { address_key: string | null }>;

/** A real mail of the group is on its way, or nobody knows whether it arrived. */
const openDeliveries = ({ accountId, senderGroupId, exceptSendLogId }: EligibilityScope) =>
  eb
    .selectFrom('delivery')
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    // As literals, in the words of delivery_open_key: the partial index answers this, however many deliveries there were.
    .where(sql<SqlBool>`state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode`)
    .$if(exceptSendLogId !== undefined, (query) => query.where('send_log_id', '<>', exceptSendLogId as number));

const openDeliveryIds = (scope: EligibilityScope): ProspectIds => openDeliveries(scope).select('prospect_id') as never;

/** NOT shares_address as in delivery_open_address_key; such a mail shares its address with another open one. */
const openAddresses = (scope: EligibilityScope): AddressKeys =>
  openDeliveries(scope).where(sql<SqlBool>`NOT shares_address`).select('address_key') as never;

/** Addresses that the group mailed at the cutoff or later, whichever company had them then. */
const contactedAddresses = ({ accountId, senderGroupId, cutoff }: EligibilityScope): AddressKeys =>
  eb
    .selectFrom('address_contact')
    .select('address_key')
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    .where('last_sent_at', '>=', cutoff) as never;

const ADDRESS = sql<string | null>`prospect.email_search`;
/** As the columns named address_key are compared. */
const ADDRESS_KEY = sql<string | null>`prospect.email_search COLLATE "C"`;

/** @param address as address_key holds it */
export const isContactedAddress = (scope: EligibilityScope, address: Expression<string | null>): Expression<SqlBool> =>
  hasKey(contactedAddresses(scope), address);

/**
 * The prospects that share one of these addresses: those of all others are told by their own mails. Unnested, because the planner
 * thinks the ids too many to be hashed.
 */
const sharersOf = ({ accountId }: EligibilityScope, addresses: AddressKeys): Expression<unknown> =>
  sql`SELECT unnest(array(
    SELECT shared.prospect_id FROM shared_address AS shared
    WHERE shared.account_id = ${accountId} AND shared.address_key IN (${addresses})))`;

const hasKey = (addresses: AddressKeys, address: Expression<string | null>): Expression<SqlBool> =>
  eb.exists(addresses.where('address_key' as never, '=', address as never));

/** @param scan whether a whole list is asked, not some prospects: see group-state.queries.ts */
function leftOutConditions(scope: EligibilityScope, scan: boolean): Record<LeftOutReason, Expression<SqlBool>> {
  const holds = scan ? isOneOf : holdsFor;
  const hasAddressOf = (addresses: AddressKeys) =>
    scan ? isOneOf(sharersOf(scope, addresses)) : hasKey(addresses, ADDRESS_KEY);
  return {
    inactive: holds(inactiveIds(scope)),
    no_email: sql`coalesce(prospect.email_search, '') = ''`,
    suppressed: (scan ? isSuppressedInScan : isSuppressed)(scope.accountId, ADDRESS),
    reserved: holds(reservedIds(scope, scope.exceptReservationId)),
    open_delivery: eb.or([holds(openDeliveryIds(scope)), hasAddressOf(openAddresses(scope))]),
    recently_sent: eb.or([holds(contactedIds(scope, scope.cutoff)), hasAddressOf(contactedAddresses(scope))]),
  };
}

const firstReason = (holds: Record<LeftOutReason, Expression<SqlBool>>): Expression<LeftOutReason | null> => {
  const branches = LEFT_OUT_REASONS.map((reason) => sql`WHEN ${holds[reason]} THEN ${sql.lit(reason)}`);
  return sql<LeftOutReason | null>`CASE ${sql.join(branches, sql` `)} END`;
};

/** The first reason that holds, in the order of LEFT_OUT_REASONS; NULL for a prospect that may be mailed. */
export const leftOutReason = (scope: EligibilityScope): Expression<LeftOutReason | null> =>
  firstReason(leftOutConditions(scope, false));

/** The account's prospects that a condition lets through, with the reason: as a list to be found. */
export const judgedProspects =
  (scope: EligibilityScope, condition: Expression<SqlBool>) =>
  ({ scan }: { readonly scan: boolean }): Required<FoundList<LeftOutReason>> => {
    const prospects = searchedProspects().where(condition);
    if (!scan) return { prospects, leftOut: leftOutReason(scope) };
    // Those mailed of late may be many: joined, they are hashed once for all cores, and not by each.
    const joined = prospects.leftJoin(contactedIds(scope, scope.cutoff).as('recent'), (join) =>
      join.onRef('recent.prospect_id', '=', 'prospect.id'),
    );
    const isSharer = isOneOf(sharersOf(scope, contactedAddresses(scope)));
    const conditions = {
      ...leftOutConditions(scope, true),
      recently_sent: sql<SqlBool>`(recent.prospect_id IS NOT NULL OR ${isSharer})`,
    };
    return { prospects: joined as never, leftOut: firstReason(conditions) };
  };
