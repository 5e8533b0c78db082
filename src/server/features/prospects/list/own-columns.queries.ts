import { sql } from 'kysely';
import { PRIMARY_COLUMN, TAGS_COLUMN } from '#contract/companies/own-fields-names.ts';
import type { OwnCells } from '#contract/companies/prospects-filter.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { fieldProblem, type Problem } from '../../../platform/problem.ts';
import { mapInSlices, nextSlice } from '../../../platform/turns.ts';
import { shownValue, tagsOf } from '../../own-fields/own-detail.queries.ts';
import type { OwnField, Tag } from '../../own-fields/own-fields.queries.ts';
import { type OwnRow, readOwn } from '../../own-fields/own-rows.queries.ts';

/* The own fields and tags that rows of a list carry, and their 主担当: one statement each a page. */

/** An account's own fields and tags, archived ones too. */
export interface OwnNames {
  readonly fields: readonly OwnField[];
  readonly tags: readonly Tag[];
}

/** The own columns of a list. */
export interface OwnColumns {
  readonly names: OwnNames;
  readonly hasTags: boolean;
  readonly hasPrimary: boolean;
  readonly fields: readonly OwnField[];
}

/**
 * Finds the columns of these keys. An archived field is left out: a browser keeps its columns for longer than that.
 * @returns a problem that names the first key that no field has
 */
export function ownColumnsOf(keys: readonly string[], names: OwnNames): OwnColumns | Problem {
  const wanted = keys.filter((key) => key !== TAGS_COLUMN && key !== PRIMARY_COLUMN);
  const unknown = wanted.find((key) => !names.fields.some((field) => field.key === key));
  if (unknown !== undefined) return fieldProblem('own_columns', 'invalid_input', `項目「${unknown}」はありません`);
  return {
    names,
    hasTags: keys.includes(TAGS_COLUMN),
    hasPrimary: keys.includes(PRIMARY_COLUMN),
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
  if (rows.length === 0 || !columns) return [...rows];
  const { names, hasTags, hasPrimary, fields } = columns;
  const ids = rows.map(idOf);
  const isOwn = hasTags || fields.length > 0;
  const own = isOwn ? await readOwn(tx, accountId, names.fields, ids) : undefined;
  const primaries = hasPrimary ? await readPrimaries(tx, accountId, ids) : undefined;
  const shown = await mapInSlices(rows, (row) => {
    const primary = primaries && { primary: primaries.get(idOf(row)) ?? null };
    const cells: OwnCells = { ...(own && cellsOf(columns, own.get(idOf(row)))), ...primary };
    return { ...row, ...cells };
  });
  // Serialising a thousand rows takes a turn of its own.
  await nextSlice();
  return shown;
}

/** Reads the 主担当 of companies; those without one are missing in the answer. */
async function readPrimaries(tx: Tx, accountId: number, ids: readonly number[]) {
  const { rows } = await sql<{ id: number; name: string; department: string; title: string }>`
    SELECT prospect.id, person.name, person.department, person.title
    FROM prospect JOIN person ON person.account_id = prospect.account_id AND person.id = prospect.person_id
    WHERE prospect.account_id = ${accountId} AND prospect.id = ANY (${ids}::bigint[])`.execute(tx);
  return new Map(rows.map(({ id, ...person }) => [id, person]));
}

function cellsOf({ names, hasTags, fields }: OwnColumns, row: OwnRow | undefined): OwnCells {
  const custom = fields.flatMap((field) => {
    const value = row?.values.get(field.id);
    return value === undefined ? [] : [[field.key, shownValue(field, value)] as const];
  });
  return {
    ...(hasTags && { tags: tagsOf(names.tags, row).map(({ id, label, colour }) => ({ id, label, colour })) }),
    ...(fields.length > 0 && { custom: Object.fromEntries(custom) }),
  };
}
