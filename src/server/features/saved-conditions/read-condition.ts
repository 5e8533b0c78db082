import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { OwnFilter } from '#contract/companies/prospects-filter.ts';
import { CONDITION_PARTS, type listSavedConditions } from '#contract/companies/saved-conditions.ts';
import { Problem } from '../../platform/problem.ts';
import type { OwnNames } from '../prospects/list/own-columns.queries.ts';
import { ownConditionsOf } from '../prospects/list/own-condition.queries.ts';

type Row = Required<CallAnswer<typeof listSavedConditions>[number]>;
type Condition = Pick<Row, 'where_info' | 'gone'>;

/** A sender group by its id. */
interface Group {
  readonly group_name: string;
  readonly active: boolean;
}

/** The group of a stored condition. */
export const groupOf = (stored: Readonly<Record<string, unknown>>): number | undefined => {
  const { sender_group_id } = stored;
  return typeof sender_group_id === 'number' ? sender_group_id : undefined;
};

const isPart = (field: string): field is keyof typeof CONDITION_PARTS => Object.hasOwn(CONDITION_PARTS, field);

/** What the parts of conditions name. */
export interface Known {
  /** At least the account's groups of groupOf. */
  readonly groups: ReadonlyMap<number, Group>;
  /** The account's own fields and tags. */
  readonly own: OwnNames;
}

/**
 * Splits a stored condition into its valid and its obsolete parts.
 * The version that stored it may have had other fields and values. A group may be deactivated since, an own field or a
 * tag archived: each own field is a part of its own.
 */
export function readCondition(stored: Readonly<Record<string, unknown>>, { groups, own }: Known): Condition {
  const where_info: Record<string, unknown> = {};
  const gone: Condition['gone'] = [];
  for (const [field, value] of Object.entries(stored)) {
    const part: z.ZodType | undefined = isPart(field) ? CONDITION_PARTS[field] : undefined;
    const read = part?.safeParse(value);
    const group = field === 'sender_group_id' ? groups.get(groupOf(stored) ?? 0) : undefined;
    const holds = read?.success === true && (field !== 'sender_group_id' || group?.active === true);
    if (!holds) gone.push({ field, value: group?.group_name ?? shown(value) });
    else if (field === 'custom') where_info[field] = readCustom(read.data as Custom, own, gone);
    else if (isUsable({ [field]: read.data }, own)) where_info[field] = read.data;
    else gone.push({ field, value: labelsOf(String(read.data), own.tags) });
  }
  return { where_info, gone };
}

type Custom = NonNullable<OwnFilter['custom']>;

const isUsable = (part: OwnFilter, own: OwnNames): boolean => !(ownConditionsOf(part, own) instanceof Problem);

/** Returns the conditions on own fields that hold, and adds the others to `gone`. */
function readCustom(custom: Custom, own: OwnNames, gone: NonNullable<Row['gone']>): Custom {
  const [kept, lost] = [true, false].map((usable) =>
    Object.entries(custom).filter(([key, wanted]) => isUsable({ custom: { [key]: wanted } }, own) === usable),
  );
  for (const [key, wanted] of lost ?? []) {
    const field = own.fields.find((one) => one.key === key);
    const isChoice = field?.type === 'choice' && typeof wanted === 'string';
    gone.push({ field: `custom.${key}`, value: isChoice ? labelsOf(wanted, field.options) : shown(wanted) });
  }
  return Object.fromEntries(kept ?? []);
}

/** Names labels by their ids; one that is gone, by its id. */
const labelsOf = (ids: string, labels: readonly { readonly id: number; readonly label: string }[]): string =>
  ids
    .split(',')
    .map((id) => labels.find((label) => label.id === Number(id))?.label ?? id)
    .join('、');

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

interface Stored {
  readonly name: string;
  readonly owner_id: number | null;
  readonly where_info: unknown;
}

/** Returns the input of a condition's version hash, with its parts sorted. */
export const versioned = ({ name, owner_id, where_info }: Stored) => [
  name,
  owner_id,
  Object.entries(where_info as object).toSorted(([a], [b]) => (a < b ? -1 : 1)),
];
