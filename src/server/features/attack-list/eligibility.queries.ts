import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/eligibility.ts';
import type { DB } from '../../platform/db-types.ts';
import {
  contactedRows,
  inactiveRows,
  isInactive,
  isReserved,
  reservedRows,
  wasContacted,
} from '../prospects/group-state.queries.ts';
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

const eb = expressionBuilder<DB, 'prospect'>();

const hasNoEmail = (): Expression<SqlBool> =>
  eb.or([eb('prospect.company_email', 'is', null), eb('prospect.company_email', '=', '')]);

const isSuppressed = (accountId: number): Expression<SqlBool> => {
  const listed = (kind: 'address' | 'domain', value: Expression<string>) =>
    eb.exists(
      eb
        .selectFrom('suppression')
        .select('suppression.value')
        .where('suppression.account_id', '=', accountId)
        .where('suppression.kind', '=', kind)
        .where('suppression.value', '=', value),
    );
  const address = eb.fn<string>('lower', ['prospect.company_email']);
  return eb.or([listed('address', address), listed('domain', sql<string>`split_part(${address}, '@', -1)`)]);
};

/** Real mails of the group that are on their way, or of which nobody knows whether they arrived. */
const openDeliveryRows = ({ accountId, senderGroupId, exceptSendLogId }: EligibilityScope) =>
  eb
    .selectFrom('delivery as state')
    .select('state.prospect_id')
    .where('state.account_id', '=', accountId)
    .where('state.sender_group_id', '=', senderGroupId)
    // As literals, in the words of delivery_open_key: the partial index answers this, however many deliveries there were.
    .where(sql<SqlBool>`state.state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT state.test_send_mode`)
    .$if(exceptSendLogId !== undefined, (query) => query.where('state.send_log_id', '<>', exceptSendLogId as number));

/** The reasons that lie in the prospect itself, and those that lie in rows of the group's history. */
export type OwnReason = Extract<LeftOutReason, 'no_email' | 'suppressed'>;
export type HistoryReason = Exclude<LeftOutReason, OwnReason>;

export const ownReasons = (scope: EligibilityScope): Record<OwnReason, Expression<SqlBool>> => ({
  no_email: hasNoEmail(),
  suppressed: isSuppressed(scope.accountId),
});

/** For each reason of history the query for the set of its prospects. */
export const historyRows = (scope: EligibilityScope) =>
  ({
    inactive: inactiveRows(scope),
    reserved: reservedRows(scope, scope.exceptReservationId),
    open_delivery: openDeliveryRows(scope),
    recently_sent: contactedRows(scope, scope.cutoff),
  }) satisfies Record<HistoryReason, unknown>;

const conditions = (scope: EligibilityScope): Record<LeftOutReason, Expression<SqlBool>> => ({
  ...ownReasons(scope),
  inactive: isInactive(scope),
  reserved: isReserved(scope, scope.exceptReservationId),
  open_delivery: eb.exists(openDeliveryRows(scope).whereRef('state.prospect_id', '=', 'prospect.id')),
  recently_sent: wasContacted(scope, scope.cutoff),
});

/** The first reason that holds, in the order of LEFT_OUT_REASONS; NULL for a prospect that may be mailed. */
export function leftOutReason(scope: EligibilityScope): Expression<LeftOutReason | null> {
  const holds = conditions(scope);
  const branches = LEFT_OUT_REASONS.map((reason) => sql`WHEN ${holds[reason]} THEN ${sql.lit(reason)}`);
  return sql<LeftOutReason | null>`CASE ${sql.join(branches, sql` `)} END`;
}

/** leftOutReason is NULL, as single conditions: the planner turns them into anti-joins, which it cannot do with a CASE. */
export const isEligible = (scope: EligibilityScope): Expression<SqlBool> => {
  const holds = conditions(scope);
  return eb.and(LEFT_OUT_REASONS.map((reason) => eb.not(holds[reason])));
};
