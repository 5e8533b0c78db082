import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import { CONDITION_PARTS, type listSavedConditions } from '#contract/companies/saved-conditions.ts';

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

/**
 * Splits a stored condition into its valid and its obsolete parts.
 * The version that stored it may have had other fields and values. A group may be deactivated since.
 * @param groups holds at least the account's group of groupOf
 */
export function readCondition(
  stored: Readonly<Record<string, unknown>>,
  groups: ReadonlyMap<number, Group>,
): Condition {
  const where_info: Record<string, unknown> = {};
  const gone: Condition['gone'] = [];
  for (const [field, value] of Object.entries(stored)) {
    const part: z.ZodType | undefined = isPart(field) ? CONDITION_PARTS[field] : undefined;
    const read = part?.safeParse(value);
    const group = field === 'sender_group_id' ? groups.get(groupOf(stored) ?? 0) : undefined;
    const holds = read?.success === true && (field !== 'sender_group_id' || group?.active === true);
    if (holds) where_info[field] = read.data;
    else gone.push({ field, value: group?.group_name ?? shown(value) });
  }
  return { where_info, gone };
}

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
