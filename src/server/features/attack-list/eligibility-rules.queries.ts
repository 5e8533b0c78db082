import { type Expression, type SqlBool, sql } from 'kysely';
import { type BlockReason, LEFT_OUT_REASONS, type LeftOutReason } from '#domain/sending/eligibility.ts';
import { contactedIds, inactiveIds, noticeIds, reservedIds } from '../prospects/list/group-state.queries.ts';
import { isInByLookup } from '../prospects/list/membership.queries.ts';
import { isDoubted, isSuppressed } from '../suppressions/suppression.queries.ts';
import { addressKeyOf, hasNoAddress, searchAddress } from './chosen-address.queries.ts';
import {
  contactedAddresses,
  doubtedIds,
  type EligibilityScope,
  hasKey,
  hasReplied,
  isContacted,
  isContactedAddress,
  isContactedElsewhere,
  isRejected,
  openAddresses,
  openDeliveryIds,
  othersContacts,
  rejectedIds,
  repliedSets,
  setsElsewhere,
  sharersOf,
  suppressedIds,
} from './eligibility.queries.ts';

/*
 * The one list of rules that decide who may be mailed. The reason of a row (here) and the lists of all companies
 * (attack-list-definition) follow from it. LEFT_OUT_REASONS has the names in the same order
 * (src/domain/sending/eligibility.ts). test/rules-agree.test.ts compares both with the records of generated companies.
 */

/**
 * A rule states its SQL for one row and for a whole list. For a million companies one set of the recorded ones costs
 * less than a look-up for each. For the few rows of a claim or an order a set costs more.
 */
interface Rule {
  /** Returns the condition that the rule leaves out a row of `prospect` or `prospect_search`. */
  readonly row: (scope: RowScope) => Expression<SqlBool>;
  /** Selects the companies that recorded data leave out. May repeat ids. */
  readonly sets?: (scope: EligibilityScope) => readonly Expression<unknown>[];
  /** Selects left-out companies that may be as many as the list. They are joined to it once. null: none. */
  readonly joined?: (scope: EligibilityScope) => Expression<unknown> | null;
  /** The rule needs only a row of prospect_search. */
  readonly isOfRow?: true;
}

interface RowScope extends EligibilityScope {
  /** The row is one of the wide table `prospect`. */
  readonly isWide?: boolean;
}

const NEVER = sql<SqlBool>`false`;

export const RULES: Readonly<Record<LeftOutReason, Rule>> = {
  inactive: {
    row: (scope) => isInByLookup(inactiveIds(scope)),
    sets: (scope) => [inactiveIds(scope)],
  },
  no_email: {
    row: ({ sendTo }) => hasNoAddress(sendTo),
    isOfRow: true,
  },
  suppressed: {
    row: ({ accountId, sendTo }) => isSuppressed(accountId, searchAddress(sendTo)),
    sets: (scope) => [suppressedIds(scope)],
  },
  maybe_refused: {
    row: ({ accountId, sendTo, holdsDoubted }) =>
      holdsDoubted ? NEVER : isDoubted(accountId, sql<number>`prospect.id`, addressKeyOf(sendTo)),
    sets: (scope) => [doubtedIds(scope)],
  },
  replied: {
    row: hasReplied,
    sets: repliedSets,
  },
  refused_by_notice: {
    row: (scope) => (scope.isWide ? OWN_NOTICE : isInByLookup(noticeIds(scope))),
    sets: (scope) => [noticeIds(scope)],
  },
  reserved: {
    row: (scope) => isInByLookup(reservedIds(scope, scope.exceptReservationId)),
    sets: (scope) => [reservedIds(scope, scope.exceptReservationId)],
  },
  open_delivery: {
    row: (scope) =>
      either(isInByLookup(openDeliveryIds(scope)), hasKey(openAddresses(scope), addressKeyOf(scope.sendTo))),
    sets: (scope) => [openDeliveryIds(scope), sharersOf(scope, openAddresses(scope))],
  },
  rejected: {
    row: (scope) => isRejected(scope, addressKeyOf(scope.sendTo)),
    sets: (scope) => [rejectedIds(scope)],
  },
  recently_sent: {
    row: (scope) => {
      const isRecent = either(isContacted(scope), isContactedAddress(scope, addressKeyOf(scope.sendTo)));
      const { exceptOwnContactIf } = scope;
      return exceptOwnContactIf === undefined ? isRecent : sql<SqlBool>`(NOT (${exceptOwnContactIf}) AND ${isRecent})`;
    },
    sets: (scope) => [sharersOf(scope, contactedAddresses(scope))],
    joined: (scope) => contactedIds(scope, scope.cutoff),
  },
  recently_sent_elsewhere: {
    row: (scope) => (scope.acrossGroups ? isContactedElsewhere(scope, addressKeyOf(scope.sendTo)) : NEVER),
    sets: (scope) => (scope.acrossGroups ? setsElsewhere(scope) : []),
    joined: (scope) =>
      scope.acrossGroups ? sql`SELECT DISTINCT prospect_id FROM (${othersContacts(scope)}) AS others` : null,
  },
};

const either = (one: Expression<SqlBool>, other: Expression<SqlBool>) => sql<SqlBool>`(${one} OR ${other})`;

const OWN_NOTICE = sql<SqlBool>`coalesce(prospect.publication_notice = 'refused', false)`;

/** Returns the first reason that leaves out a single row, or NULL for a mailable company. */
export function leftOutReason(scope: RowScope): Expression<LeftOutReason | null> {
  const branches = LEFT_OUT_REASONS.map((reason) => sql`WHEN ${RULES[reason].row(scope)} THEN ${sql.lit(reason)}`);
  return sql<LeftOutReason | null>`CASE ${sql.join(branches, sql` `)} END`;
}

/** Returns why a company, archived or not, may not be mailed now, or NULL. Needs a row of the wide table `prospect`. */
export const blockReason = (scope: EligibilityScope): Expression<BlockReason | null> =>
  sql<BlockReason | null>`CASE WHEN prospect.archived_at IS NOT NULL THEN 'archived'
    ELSE ${leftOutReason({ ...scope, isWide: true })} END`;
