import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/eligibility.ts';
import type { DB } from '../../platform/db-types.ts';
import {
  contactedIds,
  holdsFor,
  inactiveIds,
  isOneOf,
  type ProspectIds,
  reservedIds,
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
  eb.selectFrom('suppression').select('value').where('account_id', '=', accountId).where('kind', '=', kind);

const ADDRESS = sql<string | null>`prospect.email_search`;
const DOMAIN = sql<string | null>`split_part(${ADDRESS}, '@', -1)`;

/** @param scan whether a whole list is asked, not some prospects: see group-state.queries.ts */
function leftOutConditions(scope: EligibilityScope, scan: boolean): Record<LeftOutReason, Expression<SqlBool>> {
  const holds = scan ? isOneOf : holdsFor;
  const isSuppressed = (kind: 'address' | 'domain', value: Expression<string | null>) => {
    const list = suppressed(kind, scope.accountId);
    return scan ? isOneOf(list, value) : eb.exists(list.where('value', '=', value));
  };
  return {
    inactive: holds(inactiveIds(scope)),
    no_email: sql`coalesce(prospect.email_search, '') = ''`,
    suppressed: eb.or([isSuppressed('address', ADDRESS), isSuppressed('domain', DOMAIN)]),
    reserved: holds(reservedIds(scope, scope.exceptReservationId)),
    open_delivery: holds(openDeliveryIds(scope)),
    recently_sent: holds(contactedIds(scope, scope.cutoff)),
  };
}

/** The first reason that holds, in the order of LEFT_OUT_REASONS; NULL for a prospect that may be mailed. */
export function leftOutReason(
  scope: EligibilityScope,
  { scan = false }: { scan?: boolean } = {},
): Expression<LeftOutReason | null> {
  const holds = leftOutConditions(scope, scan);
  const branches = LEFT_OUT_REASONS.map((reason) => sql`WHEN ${holds[reason]} THEN ${sql.lit(reason)}`);
  return sql<LeftOutReason | null>`CASE ${sql.join(branches, sql` `)} END`;
}
