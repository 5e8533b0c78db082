import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { containing } from '#domain/text/text-filter.ts';
import type { DB } from '../../../platform/database/db-types.ts';
import { type Access, isInByHash, isInByLookup, type ProspectIds } from './membership.queries.ts';
import type { LabelCondition, OwnCondition } from './own-condition.queries.ts';

/*
 * The conditions on own fields and tags in SQL (decisions/own-fields). test/rules-agree-own.test.ts compares them with
 * pure rules.
 */

const eb = expressionBuilder<DB, never>();

/** Whether companies without a row of prospect_own pass the condition. */
const asksForNone = (condition: OwnCondition): boolean =>
  condition.of === 'labels' ? condition.has === 'none' : condition.of === 'url' && !condition.isThere;

/**
 * The conditions on a row of `prospect`: for what is asked for one set of companies, and two at most for what must not
 * be there. A scan joins the sets: hashed (isInByHash), which no core shares, an own text took 1.7 times as long.
 */
export function ownConditions(accountId: number, own: readonly OwnCondition[], access: Access): Expression<SqlBool>[] {
  const ids = (of: readonly OwnCondition[], isAny = false) => isInByLookup(ownIds(accountId, of, { access, isAny }));
  const wanted = own.filter((condition) => !asksForNone(condition));
  const unwanted = Map.groupBy(own.filter(asksForNone), isOfLabels).values();
  return [...(wanted.length > 0 ? [ids(wanted)] : []), ...unwanted.map((of) => eb.not(ids(of, true)))];
}

const isOfLabels = (condition: OwnCondition): condition is LabelCondition => condition.of === 'labels';

/** Selects the companies whose rows meet all of the conditions, or any of them. */
function ownIds(
  accountId: number,
  conditions: readonly OwnCondition[],
  { access, isAny }: { readonly access: Access; readonly isAny: boolean },
): ProspectIds {
  const values = conditions.filter((condition) => !isOfLabels(condition)).map(hasValue);
  const labels = conditions.filter(isOfLabels);
  return eb
    .selectFrom('prospect_own as own')
    .select('own.prospect_id')
    .where('own.account_id', '=', accountId)
    .$if(labels.length > 0, (query) => query.where(isOfSets(accountId, labels, access)))
    .$if(values.length > 0, (query) => query.where(guessed(isAny ? eb.or(values) : eb.and(values), access))) as never;
}

/**
 * In a scan the planner shall expect half of the rows: behind row level security it would expect next to none, and look
 * each up (withoutEstimate of prospect-filter.queries.ts).
 */
const guessed = (condition: Expression<SqlBool>, access: Access): Expression<SqlBool> =>
  access === 'lookup' ? condition : sql<SqlBool>`CASE WHEN ${condition} THEN true ELSE false END`;

/**
 * The condition that the labels of a row `own` are a set that meets all of the conditions. LIKE runs on the account's
 * sets, not on the companies.
 */
function isOfSets(accountId: number, conditions: readonly LabelCondition[], access: Access): Expression<SqlBool> {
  const has = conditions.map(({ has, ids }) => {
    const each = ids.map((id) => sql<SqlBool>`members LIKE ${`%,${id},%`}`);
    return has === 'all' ? eb.and(each) : eb.or(each);
  });
  const sets = sql`SELECT id FROM label_set WHERE account_id = ${accountId} AND ${guessed(eb.and(has), access)}`;
  return access === 'lookup'
    ? sql<SqlBool>`EXISTS (${sets} AND id = own.label_set_id)`
    : isInByHash(sets, sql.ref('own.label_set_id'));
}

/** The condition that a row `own` has the value: for one that asks for none, what it must not have. */
function hasValue(condition: Exclude<OwnCondition, LabelCondition>): Expression<SqlBool> {
  const key = sql`${String(condition.field)}::text`;
  switch (condition.of) {
    case 'text': {
      const text = sql`own.text_search ->> ${key}`;
      return eb.or(condition.terms.map((term) => sql<SqlBool>`${text} LIKE ${containing(term)}`));
    }
    case 'range': {
      // Numbers as jsonb: a value of another type raises no error.
      const bound = (text: string) => (condition.type === 'number' ? sql`${text}::jsonb` : sql`${text}`);
      const value = condition.type === 'number' ? sql`own.vals -> ${key}` : sql`(own.vals ->> ${key}) COLLATE "C"`;
      const { from, to } = condition;
      return eb.and([
        ...(from === undefined ? [] : [sql<SqlBool>`${value} > ${bound(from)}`]),
        ...(to === undefined ? [] : [sql<SqlBool>`${value} < ${bound(to)}`]),
      ]);
    }
    case 'flag':
      return sql<SqlBool>`own.vals -> ${key} = ${String(condition.wanted)}::jsonb`;
    case 'url':
      return sql<SqlBool>`own.vals ? ${key}`;
  }
}
