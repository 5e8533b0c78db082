import { type OwnCells, TAGS_COLUMN } from '#contract/companies/prospects-filter.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { fieldProblem, type Problem } from '../../../platform/problem.ts';
import { shownValue } from '../../own-fields/own-detail.queries.ts';
import type { OwnField, Tag } from '../../own-fields/own-fields.queries.ts';
import { type OwnRow, readOwn } from '../../own-fields/own-rows.queries.ts';

/* The own fields and tags that rows of a list carry: one statement a page. */

/** An account's own fields and tags, archived ones too. */
export interface OwnNames {
  readonly fields: readonly OwnField[];
  readonly tags: readonly Tag[];
}

/** The own columns of a list. */
export interface OwnColumns {
  readonly names: OwnNames;
  readonly hasTags: boolean;
  readonly fields: readonly OwnField[];
}

/**
 * Finds the columns of these keys. An archived field is left out: a browser keeps its columns for longer than that.
 * @returns a problem that names the first key that no field has
 */
export function ownColumnsOf(keys: readonly string[], names: OwnNames): OwnColumns | Problem {
  const wanted = keys.filter((key) => key !== TAGS_COLUMN);
  const unknown = wanted.find((key) => !names.fields.some((field) => field.key === key));
  if (unknown !== undefined) return fieldProblem('own_columns', 'invalid_input', `項目「${unknown}」はありません`);
  return {
    names,
    hasTags: keys.includes(TAGS_COLUMN),
    fields: names.fields.filter(({ key, archived }) => wanted.includes(key) && !archived),
  };
}

/** Adds the columns to rows of companies. */
export async function withOwnCells<Row extends object>(
  tx: Tx,
  accountId: number,
  columns: OwnColumns | undefined,
  rows: readonly Row[],
  idOf: (row: Row) => number,
): Promise<(Row & OwnCells)[]> {
  if (rows.length === 0 || !columns || (!columns.hasTags && columns.fields.length === 0)) return [...rows];
  const own = await readOwn(tx, accountId, columns.names.fields, rows.map(idOf));
  return rows.map((row) => ({ ...row, ...cellsOf(columns, own.get(idOf(row))) }));
}

function cellsOf({ names, hasTags, fields }: OwnColumns, row: OwnRow | undefined): OwnCells {
  const custom = fields.flatMap((field) => {
    const value = row?.values.get(field.id);
    return value === undefined ? [] : [[field.key, shownValue(field, value)] as const];
  });
  const tags = names.tags.filter(({ id }) => row?.tags.includes(id) === true);
  return {
    ...(hasTags && { tags: tags.map(({ id, label, colour }) => ({ id, label, colour })) }),
    ...(fields.length > 0 && { custom: Object.fromEntries(custom) }),
  };
}
