import type { OwnFieldType } from '#contract/companies/own-fields-names.ts';
import { normalizeText } from '#domain/text/text-filter.ts';
import type { Db } from '#server/platform/database/db.ts';

/** Own fields, tags and values of companies, written as the product stores them. */

interface FieldGiven {
  readonly key: string;
  readonly label: string;
  readonly type: OwnFieldType;
  readonly archived?: boolean;
}

const archivedAt = (archived = false) => (archived ? new Date(0) : null);

/** Adds own fields. @returns their ids by key */
export async function addFields(
  db: Db,
  accountId: number,
  fields: readonly FieldGiven[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .insertInto('custom_field')
    .values(
      fields.map(({ archived, ...field }, position) => ({
        ...field,
        account_id: accountId,
        label_key: normalizeText(field.label),
        position,
        archived_at: archivedAt(archived),
      })),
    )
    .returning(['id', 'key'])
    .execute();
  return new Map(rows.map(({ id, key }) => [key, id]));
}

/** Adds tags, or the options of a field. @returns their ids in this order */
export async function addLabels(
  db: Db,
  accountId: number,
  labels: readonly (string | { readonly label: string; readonly archived: boolean })[],
  fieldId: number | null = null,
): Promise<number[]> {
  const given = labels.map((one) => (typeof one === 'string' ? { label: one, archived: false } : one));
  const rows = await db
    .insertInto('label')
    .values(
      given.map(({ label, archived }, position) => ({
        account_id: accountId,
        field_id: fieldId,
        label,
        label_key: normalizeText(label),
        colour: position % 8,
        position,
        archived_at: archivedAt(archived),
      })),
    )
    .returning(['id', 'label'])
    .execute();
  return given.map(({ label }) => rows.find((row) => row.label === label)?.id ?? 0);
}

interface OwnGiven {
  readonly labels?: readonly number[];
  /** By the field's id, as `prospect_own.vals` has them. */
  readonly vals?: Readonly<Record<string, string | number | boolean>>;
  /** The ids of fields of the type 'text'. */
  readonly texts?: readonly number[];
}

/** Writes the row of a company. */
export async function setOwn(
  db: Db,
  accountId: number,
  prospectId: number,
  { labels = [], vals = {}, texts = [] }: OwnGiven,
): Promise<void> {
  const members = labels.length === 0 ? null : `,${[...new Set(labels)].sort((a, b) => a - b).join()},`;
  const set =
    members === null
      ? null
      : await db
          .insertInto('label_set')
          .values({ account_id: accountId, members })
          .returning('id')
          .executeTakeFirstOrThrow();
  const searched = Object.entries(vals).filter(([field]) => texts.includes(Number(field)));
  await db
    .insertInto('prospect_own')
    .values({
      account_id: accountId,
      prospect_id: prospectId,
      label_set_id: set?.id ?? null,
      vals: JSON.stringify(vals),
      text_search: JSON.stringify(
        Object.fromEntries(searched.map(([field, value]) => [field, normalizeText(String(value))])),
      ),
    })
    .execute();
}
