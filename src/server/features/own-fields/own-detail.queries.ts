import type { CompanyDetail } from '#contract/companies/companies.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { OwnCompany } from './next-own.ts';
import { type OwnField, readOwnFields, readTags, type Tag } from './own-fields.queries.ts';
import { NO_OWN, type OwnRow, readOwn } from './own-rows.queries.ts';
import { exportText, type OwnValue, ownText } from './own-value.ts';

/** A company's own values with the account's fields and tags. */
export interface OwnState {
  readonly fields: readonly OwnField[];
  readonly tags: readonly Tag[];
  readonly row: OwnRow;
}

/** Reads all that an account knows of a company in its own fields. @param prospectId null: a new company */
export async function readOwnState(tx: Tx, accountId: number, prospectId: number | null): Promise<OwnState> {
  const fields = await readOwnFields(tx, accountId);
  const tags = await readTags(tx, accountId);
  const rows = prospectId === null ? null : await readOwn(tx, accountId, fields, [prospectId]);
  return { fields, tags, row: rows?.get(prospectId ?? 0) ?? NO_OWN };
}

/** Returns the tags of a company in the order of the given ones. */
export function tagsOf(tags: readonly Tag[], row: OwnRow | undefined): Tag[] {
  const has = new Set(row?.tags);
  return has.size === 0 ? [] : tags.filter(({ id }) => has.has(id));
}

/** Returns what the company's page shows: no archived field, and archived tags as well. */
export function ownDetail({ fields, tags, row }: OwnState): Pick<CompanyDetail, 'tags' | 'custom'> {
  const used = fields.filter(({ id, archived }) => !archived && row.values.has(id));
  return {
    tags: tagsOf(tags, row).map(({ id, label, colour }) => ({ id, label, colour })),
    custom: Object.fromEntries(used.map((field) => [field.key, shownValue(field, row.values.get(field.id) ?? '')])),
  };
}

/** Writes a value as the API answers it. */
export function shownValue(field: OwnField, value: OwnValue): string | number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return field.type === 'choice' ? exportText(field, value) : value;
}

/** What the version of a company says of its own values. */
export const ownContent = ({ values, tags, externalId }: OwnCompany): unknown => [
  [...values].toSorted(([a], [b]) => a - b),
  tags.toSorted((a, b) => a - b),
  externalId,
];

/** What a disclosure shows of a company: all of it, in archived fields too. */
export interface OwnTexts {
  readonly tags: string[];
  readonly custom: { readonly label: string; readonly value: string }[];
}

/** Reads the own values of companies as texts; those without any are missing in the answer. */
export async function readOwnTexts(
  tx: Tx,
  accountId: number,
  prospectIds: readonly number[],
): Promise<ReadonlyMap<number, OwnTexts>> {
  const fields = await readOwnFields(tx, accountId);
  const tags = await readTags(tx, accountId);
  const rows = await readOwn(tx, accountId, fields, prospectIds);
  return new Map(
    [...rows].map(([id, row]) => [
      id,
      {
        tags: tagsOf(tags, row).map(({ label }) => label),
        custom: fields.flatMap((field) => {
          const value = row.values.get(field.id);
          return value === undefined ? [] : [{ label: field.label, value: ownText(field, value) }];
        }),
      },
    ]),
  );
}
