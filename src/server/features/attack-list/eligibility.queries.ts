import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { SendTo } from '#domain/sending/attack-list.ts';
import type { DB } from '../../platform/database/db-types.ts';
import { ofOtherGroups, repliedIds } from '../prospects/list/group-state.queries.ts';
import { isInByLookup, type ProspectIds } from '../prospects/list/membership.queries.ts';
import type { GroupScope } from '../prospects/list/sender-group.queries.ts';
import { IS_DOUBT } from '../suppressions/suppression.queries.ts';
import { addressKeyOf, companiesBy, companiesInDomain } from './chosen-address.queries.ts';
import { answeredSince } from './follow-up.queries.ts';

/*
 * Selects companies and addresses by their records, for the rules (eligibility-rules.queries.ts): as conditions on a
 * row of `prospect`, and as sets of ids for whole lists.
 */

/** The order that rules look at. It has no present time: a rule with a time uses the database's `now()`. */
export interface EligibilityScope extends GroupScope {
  /** A last mail at or after this instant is too recent (resendCutoff of src/domain/sending/eligibility.ts). */
  readonly cutoff: Date;
  /** Where the mails would go. */
  readonly sendTo: SendTo;
  /** Ignores this reservation's targets and this run's deliveries, which must not block themselves. */
  readonly exceptReservationId?: number;
  readonly exceptSendLogId?: number;
  /** Ignores the rejection of this mail, which is to be sent again. */
  readonly exceptRejectionOf?: Expression<number>;
  /** Ignores the group's own contacts where this condition holds: one may come from an earlier attempt of the mail. */
  readonly exceptOwnContactIf?: Expression<SqlBool>;
  /** The run that the mails follow up: companies that have replied since are left out. */
  readonly followUpOf?: number | undefined;
  /** Lets companies with an unclear reply pass: their mails are queued, and the claim holds them. */
  readonly holdsDoubted?: boolean;
  /** Counts mails of the account's other groups too (account_rule.across_groups). */
  readonly acrossGroups?: boolean;
  /** The claimed mail. Of other groups' open mails, only claimed ones and those accepted before it count. */
  readonly claimedId?: Expression<number>;
}

/** Selects records of the scope's group, or of the account's other groups. */
type Whose = 'own' | 'others';

const eb = expressionBuilder<DB, never>();

type AddressKeys = SelectQueryBuilder<DB, never, { address_key: string | null }>;

/** Selects open deliveries of real runs. */
const openDeliveries = ({ accountId, senderGroupId, exceptSendLogId }: EligibilityScope, whose: Whose = 'own') =>
  eb
    .selectFrom('delivery')
    .where('account_id', '=', accountId)
    .where('sender_group_id', whose === 'own' ? '=' : '<>', senderGroupId)
    // Literally the condition of the partial index delivery_open_key: the planner uses it for no other text.
    .where(sql<SqlBool>`state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode`)
    .$if(exceptSendLogId !== undefined, (query) => query.where('send_log_id', '<>', exceptSendLogId as number));

export const openDeliveryIds = (scope: EligibilityScope, whose?: Whose): ProspectIds =>
  openDeliveries(scope, whose).select('prospect_id') as never;

/** Selects the addresses of open deliveries. The text of the condition equals that of delivery_open_address_key. */
export const openAddresses = (scope: EligibilityScope, whose?: Whose): AddressKeys =>
  openDeliveries(scope, whose).where(sql<SqlBool>`NOT shares_address`).select('address_key') as never;

/** Selects the addresses mailed at or after the cutoff, whichever prospect had them then. */
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

/**
 * Checks one contact, read by primary key, against the cutoff.
 * The cutoff is compared outside of the subquery. Inside, the planner could use the index by date and read all recent
 * contacts: until the next ANALYZE it expects none, even after a large run.
 */
const isRecent = (lastSentAt: Expression<unknown>, { cutoff }: EligibilityScope): Expression<SqlBool> =>
  sql<SqlBool>`coalesce((${lastSentAt}) >= ${cutoff}, false)`;

/** Checks whether the group mailed an address at or after the cutoff. @param address in the form of address_key */
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

/** Checks for a mail of another group to the row's prospect or an address: open, or sent at or after the cutoff. */
export function isContactedElsewhere(scope: EligibilityScope, address: Expression<string | null>): Expression<SqlBool> {
  const { accountId, senderGroupId, claimedId } = scope;
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

/** Another group's open mail counts as sent now, unless an interval of 0 puts the cutoff in the future. */
const countsOpen = ({ cutoff }: EligibilityScope) => sql<SqlBool>`${cutoff} <= now()`;

/** Checks whether the group mailed the row's prospect at or after the cutoff. */
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

/** Checks whether an address rejected a mail of the group at or after the cutoff. */
export const isRejected = (scope: EligibilityScope, address: Expression<string | null>): Expression<SqlBool> =>
  isRecent(
    rejections(scope)
      .select(({ fn }) => fn.max('rejected_at').as('rejected_at'))
      .where('address_key', '=', address as never)
      .$if(scope.exceptRejectionOf !== undefined, (query) =>
        query.where('delivery_id', '<>', scope.exceptRejectionOf as Expression<number>),
      ),
    scope,
  );

/** Selects prospects whose address rejected a mail of the group at or after the cutoff. May repeat ids. */
export const rejectedIds = (scope: EligibilityScope): Expression<unknown> =>
  companiesBy(scope.sendTo, sql`rejection.address_key`, (isMailed) =>
    rejections(scope)
      .innerJoin('prospect as known', (join) =>
        join
          .onRef('known.account_id', '=', 'rejection.account_id')
          .on(isMailed)
          // The text of the condition of prospect_email_idx.
          .on('known.archived_at', 'is', null),
      )
      .select('known.id as prospect_id')
      .where('rejected_at', '>=', scope.cutoff),
  );

/**
 * Selects the prospects with a suppressed address or domain. May repeat ids. Looks each suppression up by an index: an
 * account has far fewer of them than prospects. The index of addresses has no archived companies.
 */
export const suppressedIds = ({ accountId, sendTo }: Pick<EligibilityScope, 'accountId' | 'sendTo'>) => sql<{
  prospect_id: number;
}>`${companiesBy(
  sendTo,
  sql`suppression.value`,
  (isMailed) => sql`
  SELECT known.id AS prospect_id FROM suppression
  JOIN prospect AS known ON ${isMailed}
  WHERE suppression.account_id = ${accountId} AND suppression.kind = 'address'
    AND known.account_id = ${accountId} AND known.archived_at IS NULL`,
)}
  UNION ALL
  SELECT known.id FROM suppression
  CROSS JOIN LATERAL (
    ${companiesInDomain(sendTo, accountId, sql`suppression.value`)}
    -- Where many companies share a domain, the planner would read all of them for a join.
    OFFSET 0
  ) AS known
  WHERE suppression.account_id = ${accountId} AND suppression.kind = 'domain'`;

/** Selects the companies with an unclear reply. May repeat ids. A partial index has only unclear replies. */
export const doubtedIds = ({ accountId, sendTo }: EligibilityScope) => sql`
  SELECT reply.prospect_id FROM reply WHERE reply.account_id = ${accountId} AND ${IS_DOUBT}
  UNION ALL
  ${companiesBy(
    sendTo,
    sql`reply.doubted_address`,
    (isMailed) => sql`
  SELECT known.id FROM reply
  -- The index of addresses has no archived companies.
  JOIN prospect AS known ON ${isMailed}
  WHERE reply.account_id = ${accountId} AND ${IS_DOUBT}
    AND known.account_id = ${accountId} AND known.archived_at IS NULL`,
  )}`;

/**
 * Selects the prospects that are mailed at one of these addresses, which others share. All others are found by their
 * own rows. A company has a row for each of its addresses that is shared.
 */
export const sharersOf = ({ accountId, sendTo }: EligibilityScope, addresses: AddressKeys): Expression<unknown> => sql`
  SELECT shared.prospect_id FROM shared_address AS shared
  JOIN prospect_search AS prospect ON prospect.account_id = ${accountId} AND prospect.id = shared.prospect_id
    AND ${addressKeyOf(sendTo)} = shared.address_key
  WHERE shared.account_id = ${accountId} AND shared.address_key IN (${addresses})`;

export const hasKey = (addresses: AddressKeys, address: Expression<string | null>): Expression<SqlBool> =>
  eb.exists(addresses.where('address_key' as never, '=', address as never));

/** Companies with open mails of other groups, or whose shared address those groups mailed recently. */
export const setsElsewhere = (scope: EligibilityScope): readonly Expression<unknown>[] => [
  sql`SELECT prospect_id FROM (${openDeliveryIds(scope, 'others')}) AS open WHERE ${countsOpen(scope)}`,
  sql`SELECT prospect_id FROM (${sharersOf(scope, openAddresses(scope, 'others'))}) AS open WHERE ${countsOpen(scope)}`,
  sharersOf(scope, contactedAddresses(scope, 'others')),
];

/** Companies that other groups mailed at or after the cutoff. May repeat ids. */
export const othersContacts = (scope: EligibilityScope) =>
  ofOtherGroups(scope, 'contact_state', 'prospect_id', scope.cutoff);

interface ReplyScope extends Pick<GroupScope, 'accountId'> {
  /** A run, or a column with the id of one or NULL. */
  readonly followUpOf?: number | Expression<unknown> | undefined;
}

/** Checks whether the company has an open, clear reply; for a follow-up, any reply since its run. */
export const hasReplied = (scope: ReplyScope): Expression<SqlBool> =>
  eb.or(repliedSets(scope).map((ids) => isInByLookup(ids)));

export const repliedSets = (scope: ReplyScope): ProspectIds[] =>
  scope.followUpOf === undefined ? [clearIds(scope)] : [clearIds(scope), answeredSince(scope, scope.followUpOf)];

/** Companies with an open, clear reply. */
const clearIds = (scope: ReplyScope): ProspectIds =>
  repliedIds(scope).where(sql<SqlBool>`reply.doubted_address IS NULL`);
