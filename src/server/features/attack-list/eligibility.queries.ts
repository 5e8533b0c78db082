import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type BlockReason, LEFT_OUT_REASONS, type LeftOutReason } from '#domain/sending/eligibility.ts';
import type { DB } from '../../platform/database/db-types.ts';
import { inactiveIds, ofOtherGroups, repliedIds, reservedIds } from '../prospects/list/group-state.queries.ts';
import { isInByLookup, type ProspectIds } from '../prospects/list/membership.queries.ts';
import type { GroupScope } from '../prospects/list/sender-group.queries.ts';
import { isDoubted, isSuppressed } from '../suppressions/suppression.queries.ts';
import { answeredSince } from './follow-up.queries.ts';

/*
 * The eligibility rule in SQL, as conditions on a row of `prospect`. src/domain/sending/eligibility.ts states the same
 * rule, and test/rules-agree.test.ts compares the two. attack-list-definition states it for whole lists.
 */

export interface EligibilityScope extends GroupScope {
  /** A last mail at this instant or later is too recent (resendCutoff of src/domain/sending/eligibility.ts). */
  readonly cutoff: Date;
  /** The targets of this reservation and the deliveries of this run are ignored: they must not block themselves. */
  readonly exceptReservationId?: number;
  readonly exceptSendLogId?: number;
  /** That this mail was rejected is ignored: it is to be sent again. */
  readonly exceptRejectionOf?: Expression<number>;
  /** Where this holds the group's own contacts are ignored: one may be of the mail's earlier try. */
  readonly exceptOwnContactIf?: Expression<SqlBool>;
  /** The mails follow up those of this run: companies that have answered since are left out. */
  readonly followUpOf?: number | undefined;
  /** Companies with an answer in doubt pass: their mails are queued, and the claim holds them. */
  readonly holdsDoubted?: boolean;
  /** Mails of the account's other groups count too (account_rule.across_groups). */
  readonly acrossGroups?: boolean;
  /** Of open mails of other groups only those count that were accepted before this one, or claimed. */
  readonly claimedId?: Expression<number>;
}

/** Whose records: of the scope's group, or of the account's other groups. */
type Whose = 'own' | 'others';

const eb = expressionBuilder<DB, never>();

type AddressKeys = SelectQueryBuilder<DB, never, { address_key: string | null }>;

/** Selects open deliveries, which are not of a test run. */
const openDeliveries = ({ accountId, senderGroupId, exceptSendLogId }: EligibilityScope, whose: Whose = 'own') =>
  eb
    .selectFrom('delivery')
    .where('account_id', '=', accountId)
    .where('sender_group_id', whose === 'own' ? '=' : '<>', senderGroupId)
    // The planner uses the partial index delivery_open_key only for literally this condition.
    .where(sql<SqlBool>`state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode`)
    .$if(exceptSendLogId !== undefined, (query) => query.where('send_log_id', '<>', exceptSendLogId as number));

export const openDeliveryIds = (scope: EligibilityScope, whose?: Whose): ProspectIds =>
  openDeliveries(scope, whose).select('prospect_id') as never;

/** Selects the addresses of the open deliveries. The condition is literally that of delivery_open_address_key. */
export const openAddresses = (scope: EligibilityScope, whose?: Whose): AddressKeys =>
  openDeliveries(scope, whose).where(sql<SqlBool>`NOT shares_address`).select('address_key') as never;

/** Selects the addresses that were mailed at the cutoff or later, whichever prospect had them then. */
export const contactedAddresses = (
  { accountId, senderGroupId, cutoff }: EligibilityScope,
  whose: Whose = 'own',
): AddressKeys =>
  whose === 'own'
    ? (eb
        .selectFrom('address_contact')
        .select('address_key')
        .where('account_id', '=', accountId)
        .where('sender_group_id', '=', senderGroupId)
        .where('last_sent_at', '>=', cutoff) as never)
    : (ofOtherGroups({ accountId, senderGroupId }, 'address_contact', 'address_key', cutoff) as never);

export const HAS_NO_EMAIL = sql<SqlBool>`coalesce(prospect.email_search, '') = ''`;

/**
 * Checks one contact, read by its primary key, against the cutoff.
 * The cutoff is compared outside of the subquery. Inside, the planner could use the index by date, and read all recent
 * contacts: until the table is analyzed again it expects none, however many a run has written.
 */
const isRecent = (lastSentAt: Expression<unknown>, { cutoff }: EligibilityScope): Expression<SqlBool> =>
  sql<SqlBool>`coalesce((${lastSentAt}) >= ${cutoff}, false)`;

/** Checks whether the group mailed an address at the cutoff or later. @param address in the form of address_key */
export const isContactedAddress = (scope: EligibilityScope, address: Expression<string | null>): Expression<SqlBool> =>
  isRecent(
    eb
      .selectFrom('address_contact')
      .select('last_sent_at')
      .where('account_id', '=', scope.accountId)
      .where('sender_group_id', '=', scope.senderGroupId)
      .where('address_key', '=', address as never),
    scope,
  );

/** Checks whether another group mailed the prospect of a row, or an address, at the cutoff or later, or is about to. */
function isContactedElsewhere(scope: EligibilityScope, address: Expression<string | null>): Expression<SqlBool> {
  const { accountId, senderGroupId, acrossGroups = false, claimedId } = scope;
  if (!acrossGroups) return eb.lit(false);
  const last = (table: 'contact_state' | 'address_contact', of: Expression<unknown>) => sql`
    SELECT max(last_sent_at) FROM ${sql.table(table)}
    WHERE account_id = ${accountId} AND sender_group_id <> ${senderGroupId} AND ${of}`;
  const open = openDeliveries(scope, 'others').$if(claimedId !== undefined, (query) =>
    query.where(({ or, eb: on }) => or([on('id', '<', claimedId as never), on('state', '<>', 'queued')])),
  );
  return eb.or([
    isRecent(last('contact_state', sql`prospect_id = prospect.id`), scope),
    isRecent(last('address_contact', sql`address_key = ${address}`), scope),
    eb.and([
      countsOpen(scope),
      eb.or([
        eb.exists(open.where('prospect_id', '=', sql<number>`prospect.id`)),
        eb.exists(open.where(sql<SqlBool>`NOT shares_address`).where('address_key', '=', address)),
      ]),
    ]),
  ]);
}

/** An open mail of another group counts as one of this moment. The cutoff is in the future where the interval is 0. */
export const countsOpen = ({ cutoff }: EligibilityScope) => sql<SqlBool>`${cutoff} <= now()`;

/** Checks whether the group mailed the prospect of a row at the cutoff or later. */
export const isContacted = (scope: EligibilityScope): Expression<SqlBool> =>
  isRecent(
    eb
      .selectFrom('contact_state')
      .select('last_sent_at')
      .where('account_id', '=', scope.accountId)
      .where('sender_group_id', '=', scope.senderGroupId)
      .where('prospect_id', '=', sql<number>`prospect.id`),
    scope,
  );

/** Selects the rejections of the group's mails. */
const rejections = ({ accountId, senderGroupId }: EligibilityScope) =>
  eb
    .selectFrom('address_rejection as rejection')
    .where('rejection.account_id', '=', accountId)
    .where('rejection.sender_group_id', '=', senderGroupId);

/** Checks whether a mail of the group to an address was rejected at the cutoff or later. */
const isRejected = (scope: EligibilityScope, address: Expression<string | null>): Expression<SqlBool> =>
  isRecent(
    rejections(scope)
      .select(({ fn }) => fn.max('rejected_at').as('rejected_at'))
      .where('address_key', '=', address as never)
      .$if(scope.exceptRejectionOf !== undefined, (query) =>
        query.where('delivery_id', '<>', scope.exceptRejectionOf as Expression<number>),
      ),
    scope,
  );

/** Selects the prospects whose address rejected a mail of the group at the cutoff or later, some of them twice. */
export const rejectedIds = (scope: EligibilityScope): ProspectIds =>
  rejections(scope)
    .innerJoin('prospect as known', (join) =>
      join
        .onRef('known.account_id', '=', 'rejection.account_id')
        .on(sql<SqlBool>`known.email_search COLLATE "C" = rejection.address_key`)
        // Literally the condition of prospect_email_idx.
        .on('known.archived_at', 'is', null),
    )
    .select('known.id as prospect_id')
    .where('rejected_at', '>=', scope.cutoff) as never;

/**
 * Selects the prospects that share one of these addresses with another prospect. All others are found by their own
 * rows.
 */
export const sharersOf = ({ accountId }: EligibilityScope, addresses: AddressKeys): Expression<unknown> => sql`
  SELECT shared.prospect_id FROM shared_address AS shared
  WHERE shared.account_id = ${accountId} AND shared.address_key IN (${addresses})`;

const hasKey = (addresses: AddressKeys, address: Expression<string | null>): Expression<SqlBool> =>
  eb.exists(addresses.where('address_key' as never, '=', address as never));

const ADDRESS = sql<string | null>`prospect.email_search`;

/** The address in the collation of the columns named address_key. */
const ADDRESS_KEY = sql<string | null>`prospect.email_search COLLATE "C"`;

/** Returns the condition of each left-out reason, for a single row. */
const leftOutConditions = (
  scope: EligibilityScope,
  refused_by_notice: Expression<SqlBool>,
): Record<LeftOutReason, Expression<SqlBool>> => ({
  inactive: isInByLookup(inactiveIds(scope)),
  no_email: HAS_NO_EMAIL,
  suppressed: isSuppressed(scope.accountId, ADDRESS),
  maybe_refused: scope.holdsDoubted ? eb.lit(false) : isDoubted(scope.accountId, sql<number>`prospect.id`, ADDRESS_KEY),
  replied: hasReplied(scope),
  refused_by_notice,
  reserved: isInByLookup(reservedIds(scope, scope.exceptReservationId)),
  open_delivery: eb.or([isInByLookup(openDeliveryIds(scope)), hasKey(openAddresses(scope), ADDRESS_KEY)]),
  rejected: isRejected(scope, ADDRESS_KEY),
  recently_sent: eb.and([
    ...(scope.exceptOwnContactIf === undefined ? [] : [eb.not(scope.exceptOwnContactIf)]),
    eb.or([isContacted(scope), isContactedAddress(scope, ADDRESS_KEY)]),
  ]),
  recently_sent_elsewhere: isContactedElsewhere(scope, ADDRESS_KEY),
});

/**
 * Returns the first reason that applies to a single row, in the order of LEFT_OUT_REASONS, or NULL for an eligible
 * prospect.
 */
export function leftOutReason(
  scope: EligibilityScope,
  refused_by_notice: Expression<SqlBool>,
): Expression<LeftOutReason | null> {
  const conditions = leftOutConditions(scope, refused_by_notice);
  const branches = LEFT_OUT_REASONS.map((reason) => sql`WHEN ${conditions[reason]} THEN ${sql.lit(reason)}`);
  return sql<LeftOutReason | null>`CASE ${sql.join(branches, sql` `)} END`;
}

interface ReplyScope extends Pick<GroupScope, 'accountId'> {
  /** A run, or the column that names one or none. */
  readonly followUpOf?: number | Expression<unknown> | undefined;
}

/** Checks whether an answer of the company is open and clear; for a follow-up, whether there was one since its run. */
export const hasReplied = (scope: ReplyScope): Expression<SqlBool> =>
  eb.or(repliedSets(scope).map((ids) => isInByLookup(ids)));

export const repliedSets = (scope: ReplyScope): ProspectIds[] =>
  scope.followUpOf === undefined ? [clearIds(scope)] : [clearIds(scope), answeredSince(scope, scope.followUpOf)];

/** Companies with an open answer that is not in doubt. */
const clearIds = (scope: ReplyScope): ProspectIds =>
  repliedIds(scope).where(sql<SqlBool>`reply.doubted_address IS NULL`);

const OWN_NOTICE = sql<SqlBool>`coalesce(prospect.publication_notice = 'refused', false)`;

/** Returns why a company, which may be archived, may not be mailed now, or NULL. Its row is one of the wide table. */
export const blockReason = (scope: EligibilityScope): Expression<BlockReason | null> =>
  sql<BlockReason | null>`CASE WHEN prospect.archived_at IS NOT NULL THEN 'archived'
    ELSE ${leftOutReason(scope, OWN_NOTICE)} END`;
