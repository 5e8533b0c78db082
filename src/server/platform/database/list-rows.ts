import { type Expression, type JoinBuilder, type SqlBool, sql } from 'kysely';
import { ListPage, type ListWindow } from '../http/answers.ts';
import type { Db } from './db.ts';
import type { DB } from './db-types.ts';
import { onlyRow } from './only-row.ts';

/** Checks whether the client requested this column, so that an expensive one is read only when needed. */
export const wantsColumn = <Name extends string>(columns: readonly Name[] | undefined, name: Name): boolean =>
  columns === undefined || columns.includes(name);

/** Returns the requested columns, or all of them. */
export function pickColumns<Row extends object, Name extends keyof Row>(
  row: Row,
  columns: readonly Name[] | undefined,
): Partial<Row> {
  if (!columns) return row;
  return Object.fromEntries(columns.map((name) => [name, row[name]])) as unknown as Partial<Row>;
}

/** Helpers that read the rows of an account; the list calls (src/contract/list.ts) share most of them. */

const COMPARISONS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;
type Comparison = keyof typeof COMPARISONS;

type Value = string | number | boolean | Date;
type Bounds = { readonly [Name in Comparison]?: Value | undefined };

/** A where_info as its contract returns it. The API's names are those of the columns. */
type Where<Table extends keyof DB> = { readonly [Column in keyof DB[Table]]?: Value | Bounds | undefined };

/** Returns the condition for the account's own rows of a table. A client's filters are only ANDed to it. */
export function ownRows<Table extends keyof DB>(
  table: Table,
  accountId: number,
  where: Where<Table> = {},
): Expression<SqlBool> {
  const conditions = [sql`${sql.ref(`${table}.account_id`)} = ${accountId}`];
  for (const [name, wanted] of Object.entries<Value | Bounds | undefined>(where)) {
    const column = sql.ref(`${table}.${name}`);
    if (wanted === undefined) continue;
    if (typeof wanted !== 'object' || wanted instanceof Date) {
      conditions.push(sql`${column} = ${wanted}`);
      continue;
    }
    for (const comparison of Object.keys(wanted) as Comparison[]) {
      const bound = wanted[comparison];
      if (bound !== undefined) conditions.push(sql`${column} ${COMPARISONS[comparison]} ${bound}`);
    }
  }
  return sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`;
}

/** Counts the rows of a table that a condition of ownRows selects. */
export async function countRows(tx: Db, table: keyof DB, condition: Expression<SqlBool>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM ${sql.table(table)} WHERE ${condition}`.execute(tx);
  return onlyRow(rows).count;
}

/** A column of a table, as `table.column`. */
type Column = { [Table in keyof DB]: `${Table}.${keyof DB[Table] & string}` }[keyof DB];

/** Joins a table by its key: the account, and the id in another row: `byKey('member', 'sender.member_id')`. */
export const byKey =
  <Table extends keyof DB>(table: Table, reference: Column) =>
  <From, Joined extends keyof From>(join: JoinBuilder<From, Joined>) =>
    join
      .onRef(`${table}.account_id` as never, '=', `${reference.split('.')[0]}.account_id` as never)
      .onRef(`${table}.id` as never, '=', reference as never);

/** Checks whether the account has a row of a table. @param lock locks the row until the end of the transaction */
export async function hasRow(
  tx: Db,
  table: keyof DB,
  { accountId, id }: { readonly accountId: number; readonly id: number },
  lock?: 'FOR KEY SHARE' | 'FOR NO KEY UPDATE',
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM ${sql.table(table)} WHERE account_id = ${accountId} AND id = ${id} ${sql.raw(lock ?? '')}`.execute(tx);
  return rows.length > 0;
}

/** Returns a page of the rows that were read. Counts the whole list only if the page does not reach its end. */
export async function pageOf<Row>(
  rows: readonly Row[],
  window: ListWindow,
  count: () => Promise<number>,
): Promise<ListPage<Row>> {
  const showsEnd = rows.length < window.limit && (rows.length > 0 || window.offset === 0);
  return new ListPage(rows, showsEnd ? window.offset + rows.length : await count(), window);
}
