import { type Expression, type SqlBool, sql } from 'kysely';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/sending/eligibility.ts';
import type { FilteredList, LeftOut, LeftOutSets } from '../prospects/list/filtered-list.queries.ts';
import { archivedIds, contactedIds } from '../prospects/list/group-state.queries.ts';
import type { Access } from '../prospects/list/membership.queries.ts';
import { isInByFetch, isInByHash } from '../prospects/list/membership.queries.ts';
import { searchTable } from '../prospects/list/prospect-filter.queries.ts';
import { hasNoAddress, idsWithoutAddress } from './chosen-address.queries.ts';
import { type EligibilityScope, isContacted, othersContacts } from './eligibility.queries.ts';
import { leftOutReason, RULES } from './eligibility-rules.queries.ts';
import { followableIds } from './follow-up.queries.ts';

/*
 * Defines the attack list for the list engine: by look-ups of single rows, by a scan, and by sets of left-out
 * companies.
 */

/** The number of a reason in the SQL of a scan. Where several reasons apply, the lowest number is shown. */
const numberOf = (reason: LeftOutReason) => sql.lit(LEFT_OUT_REASONS.indexOf(reason) + 1);

/** A scan stores a company and its reason in one integer: id × CODES + number. */
export const CODES = 64;
const codes = sql.lit(CODES);

/**
 * Builds one set of all companies that recorded data leave out, each with its first reason as a code, for a scan.
 * Hashing one set costs less than nine look-ups for each company. Recently mailed companies are not in the set: they
 * may be as many as the companies.
 */
function recordedCodes(scope: EligibilityScope): Expression<unknown> {
  const coded = LEFT_OUT_REASONS.flatMap((reason) =>
    (RULES[reason].sets?.(scope) ?? []).map(
      (ids) => sql`SELECT prospect_id, ${numberOf(reason)} AS number FROM (${ids}) AS known`,
    ),
  );
  // PostgreSQL computes an array once for all its parallel workers.
  return sql`unnest(array(
    SELECT min(prospect_id * ${codes} + number) FROM (${sql.join(coded, sql` UNION ALL `)}) AS recorded
    GROUP BY prospect_id))`;
}

/** Excludes contacts of companies that another reason leaves out. */
const isMailable = sql`NOT ${isInByHash(sql`SELECT unnest(ids) FROM unmailable`, sql.ref('contact.prospect_id'))}`;

const mailedByOwn = (scope: EligibilityScope) => sql`
  SELECT ids, cardinality(ids) AS own FROM (
    SELECT array(
      SELECT prospect_id FROM (${contactedIds(scope, scope.cutoff)}) AS contact WHERE ${isMailable}) AS ids
    -- Else the array would be made twice.
    OFFSET 0
  ) AS own`;

/** Checks the contacts of all groups against one hash before grouping them. A second hash would double the cost. */
const mailedByAny = (scope: EligibilityScope) => sql`
  SELECT coalesce(array_agg(prospect_id), '{}') AS ids, count(*) FILTER (WHERE is_own) AS own FROM (
    SELECT prospect_id, bool_or(is_own) AS is_own FROM (
      SELECT prospect_id, true AS is_own FROM (${contactedIds(scope, scope.cutoff)}) AS own
      UNION ALL SELECT prospect_id, false FROM (${othersContacts(scope)}) AS others
      -- Else each part would have a hash of its own.
      OFFSET 0
    ) AS contact WHERE ${isMailable} GROUP BY prospect_id
  ) AS company`;

/** The number of the recorded reason. A mail of the group itself takes precedence over one of another group. */
const ownFirst = (scope: EligibilityScope, number: Expression<unknown>): Expression<unknown> =>
  scope.acrossGroups
    ? sql`CASE WHEN ${number} = ${numberOf('recently_sent_elsewhere')} AND ${isContacted(scope)}
        THEN ${numberOf('recently_sent')} ELSE ${number} END`
    : number;

const NAMES = sql`(array[${sql.join(LEFT_OUT_REASONS.map((reason) => sql.lit(reason)))}])`;

/** Returns the first of the recorded reason and the reasons whose fact applies. */
const reasonOfFacts =
  (reasons: readonly LeftOutReason[]): LeftOut<LeftOutReason>['reason'] =>
  ([recorded, ...facts]) => {
    const numbers = reasons.map((reason, n) => sql`CASE WHEN ${facts[n]} THEN ${numberOf(reason)} END`);
    return sql`${NAMES}[least(${sql.join([recorded, ...numbers])})]`;
  };

/**
 * Builds the sets of companies that are left out of a list of all companies (decisions/previews). The query reads no
 * company outside of these sets.
 *
 * `recorded`: companies with their first recorded reason. `unmailable`: the ids of those, and of companies that are
 * archived or have no address. `mailed`: the ids of recently mailed companies in neither set, and how many of them the
 * group itself has mailed.
 */
function leftOutSets(scope: EligibilityScope): LeftOutSets {
  const hasNoEmail = hasNoAddress(scope.sendTo);
  const ctes = sql`
    recorded AS MATERIALIZED (
      SELECT prospect.id, ${ownFirst(scope, sql`known.number`)} AS number, ${hasNoEmail} AS has_no_email
      -- OFFSET: behind row level security a division is no condition of an index.
      FROM (SELECT code / ${codes} AS id, (code % ${codes})::integer AS number
        FROM ${recordedCodes(scope)} AS recorded (code) OFFSET 0) AS known
      -- It has no archived companies.
      JOIN prospect_search AS prospect ON prospect.account_id = ${scope.accountId} AND prospect.id = known.id
    ),
    blank AS MATERIALIZED (
      SELECT array(${idsWithoutAddress(scope.sendTo, scope.accountId)}) AS ids
    ),
    unmailable AS MATERIALIZED (
      SELECT blank.ids || array(SELECT id FROM recorded) || array(${archivedIds(scope)}) AS ids FROM blank
    ),
    mailed AS MATERIALIZED (${scope.acrossGroups ? mailedByAny(scope) : mailedByOwn(scope)}),
    left_out AS MATERIALIZED (
      SELECT ${NAMES}[number] AS reason, sum(count)::bigint AS count FROM (
        SELECT CASE WHEN has_no_email THEN least(number, ${numberOf('no_email')}) ELSE number END AS number,
          count(*) AS count
        FROM recorded GROUP BY 1
        UNION ALL
        SELECT ${numberOf('no_email')},
          cardinality(ids) - (SELECT count(*) FROM recorded WHERE has_no_email) FROM blank
        UNION ALL
        SELECT ${numberOf('recently_sent')}, own FROM mailed
        UNION ALL
        SELECT ${numberOf('recently_sent_elsewhere')}, cardinality(ids) - own FROM mailed
      ) AS part GROUP BY 1 HAVING sum(count) > 0
    ),
    excluded AS (
      SELECT unmailable.ids || mailed.ids AS ids, array(SELECT id FROM recorded) || mailed.ids AS others
      FROM unmailable, mailed
    )`;
  return { ctes, isLeftOutByRow: hasNoEmail };
}

/**
 * Defines the attack list: the prospects that pass `condition`, each with its left-out reason.
 * The list of a follow-up has only the companies whose mail may be followed up.
 * @param isOfAll all companies of the account pass `condition`
 */
export const defineAttackList =
  (scope: EligibilityScope, condition: (access: Access) => Expression<SqlBool>, { isOfAll = false } = {}) =>
  (access: Access): FilteredList<LeftOutReason> & Required<Pick<FilteredList<LeftOutReason>, 'leftOut'>> => {
    const { followUpOf } = scope;
    const prospects = searchTable()
      .where(condition(access))
      .$if(followUpOf !== undefined, (query) => query.where(isInByFetch(followableIds(scope, followUpOf as number))));
    if (access === 'lookup') {
      const reason = leftOutReason(scope);
      return { prospects, leftOut: { facts: [reason], reason: ([own]) => sql`${own}` } };
    }
    const byRow = LEFT_OUT_REASONS.filter((reason) => RULES[reason].isOfRow);
    const joined = LEFT_OUT_REASONS.flatMap((reason) => {
      const ids = RULES[reason].joined?.(scope) ?? null;
      return ids === null ? [] : [{ reason, ids }];
    });
    const joins = joined.reduce(
      (query, { reason, ids }) =>
        query.leftJoin(sql<{ prospect_id: number }>`(${ids})`.as(sql.ref(reason)), (join) =>
          join.on(sql<SqlBool>`${sql.ref(`${reason}.prospect_id`)} = prospect.id`),
        ) as never,
      prospects,
    );
    const recorded = sql`${recordedCodes(scope)}`.as<'recorded'>(sql`recorded (code)`);
    const facts = [
      sql`(recorded.code % ${codes})::integer`,
      ...byRow.map((reason) => RULES[reason].row(scope)),
      ...joined.map(({ reason }) => sql`${sql.ref(`${reason}.prospect_id`)} IS NOT NULL`),
    ];
    return {
      prospects: joins.leftJoin(recorded, (join) =>
        join.on(sql<SqlBool>`recorded.code / ${codes} = prospect.id`),
      ) as never,
      leftOut: { facts, reason: reasonOfFacts([...byRow, ...joined.map(({ reason }) => reason)]) },
      ...(isOfAll && followUpOf === undefined && { leftOutSets: leftOutSets(scope) }),
    };
  };
