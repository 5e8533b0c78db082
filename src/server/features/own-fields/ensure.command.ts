import { sql } from 'kysely';
import type { OwnFieldType } from '#contract/companies/own-fields-names.ts';
import { isReservedKey, labelKey } from '#domain/company/own-label.ts';
import { MAX_FIELD_OPTIONS, MAX_OWN_FIELDS, MAX_TAGS } from '#domain/limits.ts';
import { foldHeading } from '#domain/text/fold-heading.ts';
import type { Tx } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import { type OwnField, readOwnFields } from './own-fields.queries.ts';

/* Adds fields, options and tags, for the settings and for imports. Field and label are compared folded. */

/** A field as a person or a file names it. */
export interface WantedField {
  readonly label: string;
  readonly type: OwnFieldType;
  /** Undefined: the next `field_1`, `field_2`, … */
  readonly key?: string | undefined;
}

export const tooManyFields = () =>
  new Problem(
    'too_many_fields',
    `項目は、使っていないものも含めて${MAX_OWN_FIELDS}個までです。使っていない項目の名前を変えて、お使いください。`,
  );

export const tooManyTags = () =>
  new Problem('too_many_tags', `タグは、使っていないものも含めて${MAX_TAGS}個までです。似たタグを統合してください。`);

export const tooManyOptions = () =>
  new Problem('too_many_fields', `1つの項目の選択肢は、使っていないものも含めて${MAX_FIELD_OPTIONS}個までです。`);

/**
 * Adds the fields of an import that the account has not, by their folded labels. Brings archived ones back; a field
 * keeps its type. One whose key is another field's, or reserved, gets the next free one.
 * @param importRunId the import that adds them: its undo archives those that nobody uses
 * @returns all fields of the account
 */
export async function ensureFields(
  tx: Tx,
  accountId: number,
  wanted: readonly WantedField[],
  importRunId: number | null = null,
): Promise<readonly OwnField[] | Problem> {
  const known = await readOwnFields(tx, accountId);
  if (wanted.length === 0) return known;
  const labels = new Set(known.map(({ label }) => foldHeading(label)));
  const missing = new Map(
    wanted.map((field) => [foldHeading(field.label), field] as const).filter(([label]) => !labels.has(label)),
  );
  if (known.length + missing.size > MAX_OWN_FIELDS) return tooManyFields();
  const keys = new Set(known.map(({ key }) => key));
  const added = [...missing.values()].map(({ key, ...field }) => {
    const free = key === undefined || keys.has(key) || isReservedKey(key) ? undefined : key;
    if (free !== undefined) keys.add(free);
    return { ...field, key: free };
  });
  await insertFields(tx, accountId, known, added, importRunId);
  await sql`
    UPDATE custom_field SET archived_at = NULL
    WHERE account_id = ${accountId} AND archived_at IS NOT NULL
      AND label_key = ANY (${wanted.map(({ label }) => foldHeading(label))}::text[])`.execute(tx);
  return readOwnFields(tx, accountId);
}

/** Adds fields behind the others. @returns their ids and keys @throws a unique violation of two at once */
export async function insertFields(
  tx: Tx,
  accountId: number,
  known: readonly Pick<OwnField, 'key'>[],
  added: readonly WantedField[],
  importRunId: number | null = null,
): Promise<readonly { readonly id: number; readonly key: string }[]> {
  if (added.length === 0) return [];
  const keys = new Set([...known, ...added].flatMap(({ key }) => key ?? []));
  const rows = added.map(({ label, type, key }, place) => ({
    place,
    label,
    type,
    label_key: foldHeading(label),
    key: key ?? nextKey(keys),
  }));
  const { rows: stored } = await sql<{ id: number; key: string }>`
    INSERT INTO custom_field (account_id, key, label, label_key, type, position, import_run_id)
    SELECT ${accountId}::bigint, key, label, label_key, type,
      (SELECT coalesce(max(position), 0) FROM custom_field WHERE account_id = ${accountId}) + 1 + place,
      ${importRunId}::bigint
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS given (place smallint, key text, label text, label_key text, type text)
    ORDER BY place
    RETURNING id, key`.execute(tx);
  return stored;
}

/** @param taken gets the new key */
function nextKey(taken: Set<string>): string {
  for (let number = 1; ; number += 1) {
    const key = `field_${number}`;
    if (taken.has(key)) continue;
    taken.add(key);
    return key;
  }
}

interface StoredLabel {
  readonly id: number;
  readonly label_key: string;
  readonly archived: boolean;
}

/** Reads the tags (`fieldId` null), or the options of a field. */
export async function readStoredLabels(
  tx: Tx,
  accountId: number,
  fieldId: number | null,
): Promise<readonly StoredLabel[]> {
  const { rows } = await sql<StoredLabel>`
    SELECT id, label_key, archived_at IS NOT NULL AS archived FROM label
    WHERE account_id = ${accountId} AND field_id IS NOT DISTINCT FROM ${fieldId}::integer`.execute(tx);
  return rows;
}

/**
 * Finds the tags (`fieldId` null) or the options of a field with these names, and adds missing ones. Brings archived
 * ones back.
 * @returns the id by text; 409 where they would be too many
 */
export async function ensureLabels(
  tx: Tx,
  accountId: number,
  fieldId: number | null,
  texts: readonly string[],
): Promise<ReadonlyMap<string, number> | Problem> {
  const wanted = new Map(texts.map((text) => [labelKey(text), text]));
  const known = await readStoredLabels(tx, accountId, fieldId);
  const keys = new Set(known.map(({ label_key }) => label_key));
  const missing = [...wanted].flatMap(([key, text]) => (keys.has(key) ? [] : [text]));
  const max = fieldId === null ? MAX_TAGS : MAX_FIELD_OPTIONS;
  if (missing.length > 0 && known.length + missing.length > max)
    return fieldId === null ? tooManyTags() : tooManyOptions();
  await insertLabels(tx, accountId, fieldId, missing);
  await sql`
    UPDATE label SET archived_at = NULL
    WHERE account_id = ${accountId} AND field_id IS NOT DISTINCT FROM ${fieldId}::integer
      AND archived_at IS NOT NULL AND label_key = ANY (${[...wanted.keys()]}::text[])`.execute(tx);
  const stored = await readStoredLabels(tx, accountId, fieldId);
  const idOf = new Map(stored.map(({ id, label_key }) => [label_key, id]));
  return new Map(
    texts.flatMap((text) => {
      const id = idOf.get(labelKey(text));
      return id === undefined ? [] : [[text, id] as const];
    }),
  );
}

/** Adds labels behind the others. One that was added at the same time stays as it is. */
async function insertLabels(
  tx: Tx,
  accountId: number,
  fieldId: number | null,
  texts: readonly string[],
): Promise<void> {
  if (texts.length === 0) return;
  await sql`
    INSERT INTO label (account_id, field_id, label, label_key, position)
    SELECT ${accountId}::bigint, ${fieldId}::integer, label, label_key,
      (SELECT coalesce(max(position), 0) FROM label
        WHERE account_id = ${accountId} AND field_id IS NOT DISTINCT FROM ${fieldId}::integer) + place
    FROM unnest(${texts}::text[], ${texts.map(labelKey)}::text[]) WITH ORDINALITY AS given (label, label_key, place)
    ORDER BY place
    ON CONFLICT DO NOTHING`.execute(tx);
}
