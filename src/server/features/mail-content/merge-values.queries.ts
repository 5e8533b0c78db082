import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import { slicesOf } from '../../platform/database/driver/insert-rows.ts';
import { mapInSlices } from '../../platform/turns.ts';
import { type OwnField, readOwnFields } from '../own-fields/own-fields.queries.ts';
import { type OwnRow, readOwn } from '../own-fields/own-rows.queries.ts';
import { ownText } from '../own-fields/own-value.ts';
import { type MergeKeys, type MergeValues, NO_PERSON, type PersonTexts } from './merge-keys.ts';
import type { OwnKeys } from './template-walk.ts';

/** A company that is mailed, and the person whom the mail reaches; null: the company's own address. */
interface MergeTarget {
  readonly prospectId: number;
  readonly personId: number | null;
}

/** Returns what `mergeValuesOf` needs of a target. */
export const mergeTarget = (target: {
  readonly prospect_id: number;
  readonly person_id: number | null;
}): MergeTarget => ({
  prospectId: target.prospect_id,
  personId: target.person_id,
});

/** Returns the keys that templates of an account may name. */
export const ownKeysOf = (fields: readonly Pick<OwnField, 'key' | 'archived'>[]): OwnKeys =>
  new Map(fields.map(({ key, archived }) => [key, archived]));

export const readOwnKeys = async (tx: Tx, accountId: number): Promise<OwnKeys> =>
  ownKeysOf(await readOwnFields(tx, accountId));

/** Returns the keys of fields that are in use. */
export const keysInUse = (ownKeys: OwnKeys): string[] =>
  [...ownKeys].flatMap(([key, isArchived]) => (isArchived ? [] : [key]));

/**
 * Reads what the mails of a run show of own fields and of their persons, as it is now.
 * @param keys that the run's templates name; a field without a value gets ''
 * @returns by id of the company; nothing where the templates name nothing
 */
export async function mergeValuesOf(
  tx: Tx,
  accountId: number,
  targets: readonly MergeTarget[],
  keys: MergeKeys,
): Promise<ReadonlyMap<number, MergeValues>> {
  const found = new Map<number, MergeValues>();
  if (keys.custom.length === 0 && !keys.person) return found;
  const named = new Set(keys.custom);
  const fields = named.size === 0 ? [] : await readOwnFields(tx, accountId);
  const used = fields.filter(({ key }) => named.has(key));
  const blank = Object.fromEntries(keys.custom.map((key) => [key, '']));
  for (const slice of slicesOf(targets)) {
    const ids = slice.map(({ prospectId }) => prospectId);
    const owns = used.length === 0 ? NO_ROWS : await readOwn(tx, accountId, fields, ids);
    const persons = keys.person ? await readPersonTexts(tx, accountId, slice) : null;
    const valuesOf = ({ prospectId, personId }: MergeTarget) =>
      found.set(prospectId, {
        ...(named.size > 0 && { custom: textsOf(used, owns.get(prospectId), blank) }),
        ...(persons && { person: persons.get(personId ?? 0) ?? NO_PERSON }),
      });
    await mapInSlices(slice, valuesOf, GROUP_TARGETS);
  }
  return found;
}

/** Targets of some 30 µs, where own fields are full. */
const GROUP_TARGETS = 20;

type Texts = Readonly<Record<string, string>>;

const NO_ROWS: ReadonlyMap<number, OwnRow> = new Map();

function textsOf(fields: readonly OwnField[], row: OwnRow | undefined, blank: Texts): Texts {
  if (!row) return blank;
  const texts = { ...blank };
  for (const field of fields) {
    const value = row.values.get(field.id);
    if (value !== undefined) texts[field.key] = oneLine(ownText(field, value));
  }
  return texts;
}

async function readPersonTexts(
  tx: Tx,
  accountId: number,
  targets: readonly MergeTarget[],
): Promise<ReadonlyMap<number, PersonTexts>> {
  const ids = targets.flatMap(({ personId }) => personId ?? []);
  if (ids.length === 0) return new Map();
  const { rows } = await sql<PersonTexts & { id: number }>`
    SELECT id, name, department, title FROM person
    WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[])`.execute(tx);
  return new Map(
    rows.map(({ id, name, department, title }) => [
      id,
      { name: oneLine(name), department: oneLine(department), title: oneLine(title) },
    ]),
  );
}

/** A value stands within a line of a mail, and in subjects. */
const oneLine = (text: string): string => text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
