import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/eligibility.ts';
import type { DB } from '../../platform/db-types.ts';
import type { FoundList } from '../prospects/found-list.queries.ts';
import {
  contactedIds,
  holdsFor,
  inactiveIds,
  isOneOf,
  type ProspectIds,
  reservedIds,
} from '../prospects/group-state.queries.ts';
import { searchedProspects } from '../prospects/prospect-filter.queries.ts';
import type { GroupScope } from '../prospects/sender-group.queries.ts';

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

/** A real mail of the group is on its way, or nobody knows whether it arrived. */
const openDeliveryIds = ({ accountId, senderGroupId, exceptSendLogId }: EligibilityScope): ProspectIds =>
  eb
    .selectFrom('delivery')
    .select('prospect_id')
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    // As literals, in the words of delivery_open_key: the partial index answers this, however many deliveries there were.
    .where(sql<SqlBool>`state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode`)
    .$if(exceptSendLogId !== undefined, (query) =>
      query.where('send_log_id', '<>', exceptSendLogId as number),
    ) as never;

/** The addresses, or the domains, that are not to be mailed, in lower case. */
const suppressed = (kind: 'address' | 'domain', accountId: number) =>
  eb
    .selectFrom('suppression')
    .select('suppression.value')
    .where('suppression.account_id', '=', accountId)
    .where('suppression.kind', '=', kind);

/** Who has an address of the list: looked up by the index of addresses, for a list of these is short beside a list of companies. */
const suppressedIds = (accountId: number) =>
  suppressed('address', accountId)
    .innerJoin('prospect as known', (join) => join.on(sql<SqlBool>`known.email_search COLLATE "C" = suppression.value`))
    .where('known.account_id', '=', accountId)
    .clearSelect()
    .select('known.id');

const ADDRESS = sql<string | null>`prospect.email_search`;
const domainOf = (address: Expression<string | null>) => sql<string | null>`split_part(${address}, '@', -1)`;

/** @param address in lower case */
export function isSuppressed(accountId: number, address: Expression<string | null>): Expression<SqlBool> {
  const has = (kind: 'address' | 'domain', value: Expression<string | null>) =>
    eb.exists(suppressed(kind, accountId).where('suppression.value', '=', value));
  return eb.or([has('address', address), has('domain', domainOf(address))]);
}

/** @param scan whether a whole list is asked, not some prospects: see group-state.queries.ts */
function leftOutConditions(scope: EligibilityScope, scan: boolean): Record<LeftOutReason, Expression<SqlBool>> {
  const holds = scan ? isOneOf : holdsFor;
  // Unnested, because the planner thinks the ids too many to be hashed.
  const suppression = scan
    ? eb.or([
        isOneOf(sql`SELECT unnest(array(${suppressedIds(scope.accountId)}))`),
        isOneOf(suppressed('domain', scope.accountId), domainOf(ADDRESS)),
      ])
    : isSuppressed(scope.accountId, ADDRESS);
  return {
    inactive: holds(inactiveIds(scope)),
    no_email: sql`coalesce(prospect.email_search, '') = ''`,
    suppressed: suppression,
    reserved: holds(reservedIds(scope, scope.exceptReservationId)),
    open_delivery: holds(openDeliveryIds(scope)),
    recently_sent: holds(contactedIds(scope, scope.cutoff)),
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
    const conditions = {
      ...leftOutConditions(scope, true),
      recently_sent: sql<SqlBool>`recent.prospect_id IS NOT NULL`,
    };
    return { prospects: joined as never, leftOut: firstReason(conditions) };
  };
