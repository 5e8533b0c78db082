import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { containing } from '#domain/text/text-filter.ts';
import type { DB } from '../../../platform/database/db-types.ts';
import { type Access, isInByHash, isInByLookup, type ProspectIds } from './membership.queries.ts';
import type { OwnCondition } from './own-condition.queries.ts';

/*
 * The conditions on own fields and tags in SQL (decisions/own-fields). test/rules-agree-own.test.ts compares them with
 * pure rules. All that ask for a value are one set of companies, and all that ask for none another.
 */

const eb = expressionBuilder<DB, never>();

/** Whether companies without a row of prospect_own pass the condition. */
const asksForNone = (condition: OwnCondition): boolean =>
  condition.of === 'labels' ? condition.has === 'none' : condition.of === 'url' && !condition.isThere;

/** The conditions on a row of `prospect` that has the own values and tags. */
export function ownConditions(accountId: number, own: readonly OwnCondition[], access: Access): Expression<SqlBool>[] {
  const holds = (condition: OwnCondition) => isHeld(accountId, condition, access);
  const wanted = own.filter((condition) => !asksForNone(condition)).map(holds);
  const unwanted = own.filter(asksForNone).map(holds);
  return [
    ...(wanted.length > 0 ? [isIn(ownIds(accountId, eb.and(wanted)), access)] : []),
    ...(unwanted.length > 0 ? [eb.not(isIn(ownIds(accountId, eb.or(unwanted)), access))] : []),
  ];
}

const ownIds = (accountId: number, condition: Expression<SqlBool>): ProspectIds =>
  eb
    .selectFrom('prospect_own as own')
    .select('own.prospect_id')
    .where('own.account_id', '=', accountId)
    .where(condition) as never;

/** A scan makes the set once. All cores share an aggregate, not array(…): 514 against 777 ms for an own text. */
const isIn = (ids: ProspectIds, access: Access): Expression<SqlBool> =>
  access === 'lookup'
    ? isInByLookup(ids)
    : isInByHash(sql`SELECT unnest((SELECT array_agg(prospect_id) FROM (${ids}) AS known))`);

/** The condition that a row `own` has what the condition names: for one that asks for none, what it must not have. */
function isHeld(accountId: number, condition: OwnCondition, access: Access): Expression<SqlBool> {
  switch (condition.of) {
    case 'labels': {
      const has = condition.ids.map((id) => sql<SqlBool>`members LIKE ${`%,${id},%`}`);
      return isOfSets(accountId, condition.has === 'all' ? eb.and(has) : eb.or(has), access);
    }
    case 'text': {
      const text = sql`own.text_search ->> ${String(condition.field)}::text`;
      return eb.or(condition.terms.map((term) => sql<SqlBool>`${text} LIKE ${containing(term)}`));
    }
    case 'range': {
      // Numbers as jsonb: a value of another type raises no error.
      const key = sql`${String(condition.field)}::text`;
      const bound = (text: string) => (condition.type === 'number' ? sql`${text}::jsonb` : sql`${text}`);
      const value = condition.type === 'number' ? sql`own.vals -> ${key}` : sql`(own.vals ->> ${key}) COLLATE "C"`;
      const { from, to } = condition;
      return eb.and([
        ...(from === undefined ? [] : [sql<SqlBool>`${value} > ${bound(from)}`]),
        ...(to === undefined ? [] : [sql<SqlBool>`${value} < ${bound(to)}`]),
      ]);
    }
    case 'flag':
      return sql<SqlBool>`own.vals -> ${String(condition.field)}::text = ${String(condition.wanted)}::jsonb`;
    case 'url':
      return sql<SqlBool>`own.vals ? ${String(condition.field)}::text`;
  }
}

/**
 * The condition that the labels of a row `own` are a set that meets `has`. LIKE runs on the account's sets, not on the
 * companies; a scan then reads the companies along prospect_own_labels_idx.
 */
function isOfSets(accountId: number, has: Expression<SqlBool>, access: Access): Expression<SqlBool> {
  const sets = sql`SELECT id FROM label_set WHERE account_id = ${accountId} AND ${has}`;
  return access === 'lookup'
    ? isInByHash(sets, sql<number>`own.label_set_id`)
    : sql<SqlBool>`own.label_set_id = any(array(${sets}))`;
}
