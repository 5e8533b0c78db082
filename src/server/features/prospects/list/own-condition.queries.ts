import type { OwnFilter, ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { splitTerms } from '#domain/text/text-filter.ts';
import { isDay } from '#domain/time/calendar.ts';
import type { AccountDb } from '../../../platform/database/account-db.ts';
import type { Db } from '../../../platform/database/db.ts';
import { fieldProblem, Problem } from '../../../platform/problem.ts';
import { type OwnField, readOwnFields, readTags, type Tag } from '../../own-fields/own-fields.queries.ts';
import { type OwnColumns, type OwnNames, ownColumnsOf } from './own-columns.queries.ts';

/** A condition on tags, or on the options of a field. */
export interface LabelCondition {
  readonly of: 'labels';
  readonly has: 'any' | 'all' | 'none';
  readonly ids: readonly number[];
}

/** A condition on an own field or on tags, of fields, options and tags that the account uses. */
export type OwnCondition =
  | LabelCondition
  | { readonly of: 'text'; readonly field: number; readonly terms: readonly string[] }
  | {
      readonly of: 'range';
      readonly field: number;
      readonly type: 'number' | 'date';
      readonly from: string | undefined;
      readonly to: string | undefined;
    }
  | { readonly of: 'flag'; readonly field: number; readonly wanted: boolean }
  | { readonly of: 'url'; readonly field: number; readonly isThere: boolean };

/** The filters of a list whose conditions on own fields and tags were checked. */
export type CheckedFilter = Omit<ProspectFilter, keyof OwnFilter> & {
  readonly own?: readonly OwnCondition[];
} & { readonly [Name in keyof OwnFilter]?: never };

export const NO_OWN_NAMES: OwnNames = { fields: [], tags: [] };

export const readOwnNames = async (tx: Db, accountId: number): Promise<OwnNames> => ({
  fields: await readOwnFields(tx, accountId),
  tags: await readTags(tx, accountId),
});

const TAG_FILTERS = [
  ['tags', 'any'],
  ['tags_all', 'all'],
  ['tags_none', 'none'],
] as const;

/** Whether a filter names own fields or tags. */
export const namesOwn = ({ tags, tags_all, tags_none, custom }: OwnFilter): boolean =>
  [tags, tags_all, tags_none, custom].some((wanted) => wanted !== undefined && wanted !== '');

/**
 * Checks the conditions on own fields and tags against those of the account.
 * @returns a problem that names the first one that the account does not have, or no longer uses
 */
export const checkFilter = async (
  tx: Db,
  accountId: number,
  filter: ProspectFilter,
): Promise<CheckedFilter | Problem> =>
  checkedFilter(filter, namesOwn(filter) ? await readOwnNames(tx, accountId) : NO_OWN_NAMES);

/** Checks the filter like checkFilter. @param names those of the account */
export function checkedFilter(filter: ProspectFilter, names: OwnNames): CheckedFilter | Problem {
  const { tags: _tags, tags_all: _all, tags_none: _none, custom: _custom, ...others } = filter;
  if (!namesOwn(filter)) return others;
  const own = ownConditionsOf(filter, names);
  return own instanceof Problem ? own : { ...others, own };
}

/** Checks the filter and the own columns of a request. Without any it takes no transaction. */
export async function checkOwn(
  account: AccountDb,
  filter: ProspectFilter,
  keys: readonly string[] = [],
): Promise<{ readonly filter: CheckedFilter; readonly columns: OwnColumns } | Problem> {
  const isNamed = namesOwn(filter) || keys.length > 0;
  const names = isNamed ? await account.snapshot((tx) => readOwnNames(tx, account.id)) : NO_OWN_NAMES;
  const checked = checkedFilter(filter, names);
  if (checked instanceof Problem) return checked;
  const columns = ownColumnsOf(keys, names);
  return columns instanceof Problem ? columns : { filter: checked, columns };
}

/** Reads the conditions of a filter on own fields and tags. Blank ones are none. */
export function ownConditionsOf({ custom = {}, ...filter }: OwnFilter, names: OwnNames): OwnCondition[] | Problem {
  const conditions: OwnCondition[] = [];
  for (const [name, has] of TAG_FILTERS) {
    const ids = idsOf(filter[name] ?? '');
    const unusable = unusableLabel(ids, names.tags, 'タグ');
    if (unusable !== null) return fieldProblem(name, 'invalid_input', unusable);
    if (ids.length > 0) conditions.push({ of: 'labels', has, ids });
  }
  for (const [key, wanted] of Object.entries(custom)) {
    const condition = customCondition(key, wanted, names.fields);
    if (typeof condition === 'string') return fieldProblem(`custom.${key}`, 'invalid_input', condition);
    if (condition !== null) conditions.push(condition);
  }
  return conditions;
}

const idsOf = (written: string): number[] => [
  ...new Set(
    written
      .split(',')
      .filter((id) => id !== '')
      .map(Number),
  ),
];

/** Returns the fault of the first label that cannot be used; null: all can. */
function unusableLabel(ids: readonly number[], labels: readonly Omit<Tag, 'colour'>[], what: string): string | null {
  for (const id of ids) {
    const label = labels.find((one) => one.id === id);
    if (label === undefined) return `${what}（id ${id}）はありません`;
    if (label.archived) return `${what}「${label.label}」は使われていません`;
  }
  return null;
}

type Wanted = NonNullable<OwnFilter['custom']>[string];

/** Reads the condition of one field. @returns null: it is blank; a text: its fault */
function customCondition(key: string, wanted: Wanted, fields: readonly OwnField[]): OwnCondition | string | null {
  const field = fields.find((one) => one.key === key);
  if (field === undefined) return `項目「${key}」はありません`;
  if (field.archived) return `項目「${field.label}」は使われていません`;
  if (field.type === 'number' || field.type === 'date') return rangeOf(field, field.type, wanted);
  if (typeof wanted !== 'string') return `項目「${field.label}」に下限と上限は指定できません`;
  if (wanted === '') return null;
  switch (field.type) {
    case 'text': {
      const terms = splitTerms(wanted);
      return terms.length === 0 ? null : { of: 'text', field: field.id, terms };
    }
    case 'choice':
      return choiceOf(field, wanted);
    case 'flag':
    case 'url': {
      if (wanted !== 'yes' && wanted !== 'no') return `項目「${field.label}」の条件は yes か no にしてください`;
      const is = wanted === 'yes';
      return field.type === 'flag'
        ? { of: 'flag', field: field.id, wanted: is }
        : { of: 'url', field: field.id, isThere: is };
    }
  }
}

function choiceOf({ label, options }: OwnField, wanted: string): OwnCondition | string {
  if (!/^\d{1,16}(,\d{1,16})*$/.test(wanted)) return `項目「${label}」の条件は選択肢のidにしてください`;
  const ids = idsOf(wanted);
  return unusableLabel(ids, options, `項目「${label}」の選択肢`) ?? { of: 'labels', has: 'any', ids };
}

/** Numbers and days that PostgreSQL reads; a number as JSON, which has no leading zeros. */
const BOUNDS = {
  number: {
    isBound: (text: string) => /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,12})?$/.test(text),
    form: '1200 か 1.5 のような数値',
  },
  date: { isBound: isDay, form: '2026-11-20 のような日付' },
} as const;

function rangeOf(field: OwnField, type: 'number' | 'date', wanted: Wanted): OwnCondition | string | null {
  if (wanted === '') return null;
  if (typeof wanted === 'string') return `項目「${field.label}」の条件は下限か上限にしてください`;
  const [from, to] = [wanted.from || undefined, wanted.to || undefined];
  const { isBound, form } = BOUNDS[type];
  if ([from, to].some((bound) => bound !== undefined && !isBound(bound))) {
    return `項目「${field.label}」の下限と上限は、${form}にしてください`;
  }
  return from === undefined && to === undefined ? null : { of: 'range', field: field.id, type, from, to };
}
