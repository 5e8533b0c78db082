import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/eligibility.ts';
import type { DB } from '../../platform/db-types.ts';
import { isInactive, isReserved, wasContacted } from '../prospects/group-state.queries.ts';
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

/** The prospect's address, or the domain it is in, is on the list of those not to be mailed. */
export const isSuppressedBy = (kind: 'address' | 'domain', accountId: number): Expression<SqlBool> => {
  const address = eb.fn<string>('lower', ['prospect.company_email']);
  return eb.exists(
    eb
      .selectFrom('suppression')
      .select('suppression.value')
      .where('suppression.account_id', '=', accountId)
      .where('suppression.kind', '=', kind)
      .where('suppression.value', '=', kind === 'address' ? address : sql<string>`split_part(${address}, '@', -1)`),
  );
};

/** A real mail of the group is on its way, or nobody knows whether it arrived. */
const hasOpenDelivery = ({ accountId, senderGroupId, exceptSendLogId }: EligibilityScope): Expression<SqlBool> =>
  eb.exists(
    eb
      .selectFrom('delivery')
      .select('delivery.prospect_id')
      .where('delivery.account_id', '=', accountId)
      .where('delivery.sender_group_id', '=', senderGroupId)
      .whereRef('delivery.prospect_id', '=', 'prospect.id')
      // As literals, in the words of delivery_open_key: the partial index answers this, however many deliveries there were.
      .where(
        sql<SqlBool>`delivery.state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT delivery.test_send_mode`,
      )
      .$if(exceptSendLogId !== undefined, (query) =>
        query.where('delivery.send_log_id', '<>', exceptSendLogId as number),
      ),
  );

/** Each reason as a condition of its own. */
export const leftOutConditions = (scope: EligibilityScope): Record<LeftOutReason, Expression<SqlBool>> => ({
  inactive: isInactive(scope),
  no_email: hasNoEmail(),
  suppressed: eb.or([isSuppressedBy('address', scope.accountId), isSuppressedBy('domain', scope.accountId)]),
  reserved: isReserved(scope, scope.exceptReservationId),
  open_delivery: hasOpenDelivery(scope),
  recently_sent: wasContacted(scope, scope.cutoff),
});

/** The first reason that holds, in the order of LEFT_OUT_REASONS; NULL for a prospect that may be mailed. */
export function leftOutReason(scope: EligibilityScope): Expression<LeftOutReason | null> {
  const holds = leftOutConditions(scope);
  const branches = LEFT_OUT_REASONS.map((reason) => sql`WHEN ${holds[reason]} THEN ${sql.lit(reason)}`);
  return sql<LeftOutReason | null>`CASE ${sql.join(branches, sql` `)} END`;
}

/** leftOutReason is NULL, as single conditions: the planner turns them into anti-joins, which it cannot do with a CASE. */
export const isEligible = (scope: EligibilityScope): Expression<SqlBool> => {
  const holds = leftOutConditions(scope);
  return eb.and(LEFT_OUT_REASONS.map((reason) => eb.not(holds[reason])));
};

/** leftOutReason is this one, as single conditions. */
export const isLeftOutFor = (scope: EligibilityScope, reason: LeftOutReason): Expression<SqlBool> => {
  const holds = leftOutConditions(scope);
  const earlier = LEFT_OUT_REASONS.slice(0, LEFT_OUT_REASONS.indexOf(reason));
  return eb.and([holds[reason], ...earlier.map((other) => eb.not(holds[other]))]);
};
