import { MAX_COMPANY_TAGS, MAX_OWN_LENGTH } from '#domain/limits.ts';
import { normalizeText } from '#domain/text/text-filter.ts';
import { membersOf } from './label-sets.queries.ts';
import type { OwnField } from './own-fields.queries.ts';
import type { OwnRow } from './own-rows.queries.ts';
import { lengthOf, type OwnValue } from './own-value.ts';

/** What is written of a company; what is missing stays. */
export interface OwnWrite {
  readonly prospectId: number;
  /** By the field's id; null: no value. Of a choice the option's id. */
  readonly values?: ReadonlyMap<number, OwnValue | null>;
  /** Tags or options of choices; an option replaces its field's other one. */
  readonly addLabels?: readonly number[];
  readonly removeLabels?: readonly number[];
  /** All tags of the company. */
  readonly setLabels?: readonly number[];
  readonly ownerId?: number | null;
  /** Set once: a company with another one keeps it. */
  readonly externalId?: string;
}

/** The own data of a company. */
export type OwnCompany = Pick<OwnRow, 'values' | 'tags' | 'ownerId'> & { readonly externalId: string | null };

/** [old, new] by field, as prospect_change has them. */
export type OwnChanges = Readonly<Record<string, readonly [unknown, unknown]>>;

export interface NextOwn {
  readonly next: OwnCompany;
  /** The tags would be more than MAX_COMPANY_TAGS: they stay. */
  readonly tooManyTags: boolean;
  /** The values would be longer than MAX_OWN_LENGTH: they stay. */
  readonly tooLong: boolean;
}

/** Computes what writes make of a company. @param fieldOf the field of each option */
export function nextOwn(
  before: OwnCompany,
  writes: readonly OwnWrite[],
  fieldOf: ReadonlyMap<number, number>,
): NextOwn {
  const values = new Map(before.values);
  const tags = new Set(before.tags);
  let { ownerId, externalId } = before;
  for (const write of writes) {
    for (const [field, value] of write.values ?? []) setValue(values, field, value);
    applyLabels({ values, tags }, write, fieldOf);
    if (write.ownerId !== undefined) ownerId = write.ownerId;
    externalId ??= write.externalId ?? null;
  }
  const tooManyTags = tags.size > Math.max(MAX_COMPANY_TAGS, before.tags.length);
  const tooLong = lengthOfAll(values) > Math.max(MAX_OWN_LENGTH, lengthOfAll(before.values));
  const next = {
    values: tooLong ? before.values : values,
    tags: tooManyTags ? before.tags : [...tags].toSorted((a, b) => a - b),
    ownerId,
    externalId,
  };
  return { next, tooManyTags, tooLong };
}

/** What a company gets, while it is computed. */
interface Draft {
  readonly values: Map<number, OwnValue>;
  readonly tags: Set<number>;
}

function setValue(values: Draft['values'], field: number, value: OwnValue | null): void {
  if (value === null) values.delete(field);
  else values.set(field, value);
}

function applyLabels({ values, tags }: Draft, write: OwnWrite, fieldOf: ReadonlyMap<number, number>): void {
  if (write.setLabels !== undefined) {
    tags.clear();
    for (const id of write.setLabels) tags.add(id);
  }
  for (const id of write.removeLabels ?? []) {
    const field = fieldOf.get(id);
    if (field === undefined) tags.delete(id);
    else if (values.get(field) === id) values.delete(field);
  }
  for (const id of write.addLabels ?? []) {
    const field = fieldOf.get(id);
    if (field === undefined) tags.add(id);
    else values.set(field, id);
  }
}

const lengthOfAll = (values: OwnRow['values']): number =>
  values.values().reduce<number>((sum, value) => sum + lengthOf(value), 0);

/** Returns what differs. */
export function changesBetween(before: OwnCompany, next: OwnCompany): OwnChanges {
  const changes = valueChanges(before, next);
  if (before.ownerId !== next.ownerId) changes['own.owner'] = [before.ownerId, next.ownerId];
  if (before.externalId !== next.externalId) changes.external_id = [before.externalId, next.externalId];
  return changes;
}

type Values = Pick<OwnCompany, 'values' | 'tags'>;

/** Compares own values and tags. */
export function valueChanges(before: Values, next: Values): Record<string, readonly [unknown, unknown]> {
  const changes: Record<string, readonly [unknown, unknown]> = {};
  for (const field of new Set([...before.values.keys(), ...next.values.keys()])) {
    const pair = [before.values.get(field) ?? null, next.values.get(field) ?? null] as const;
    if (pair[0] !== pair[1]) changes[`own.${field}`] = pair;
  }
  if (before.tags.join() !== next.tags.join()) changes['own.tags'] = [before.tags, next.tags];
  return changes;
}

/** What prospect_own stores of a company. */
export interface StoredOwn {
  /** As in label_set; null: no label. */
  readonly members: string | null;
  readonly vals: Readonly<Record<string, OwnValue>>;
  readonly text: Readonly<Record<string, string>>;
}

/** @param typeOf the type of each field */
export function storedOwn({ values, tags }: OwnCompany, typeOf: ReadonlyMap<number, OwnField['type']>): StoredOwn {
  const labels = [...tags];
  const vals: Record<string, OwnValue> = {};
  const text: Record<string, string> = {};
  for (const [field, value] of values) {
    const type = typeOf.get(field);
    if (type === 'choice') labels.push(Number(value));
    else vals[field] = value;
    if (type === 'text') text[field] = normalizeText(String(value));
  }
  return { members: labels.length === 0 ? null : membersOf(labels), vals, text };
}
