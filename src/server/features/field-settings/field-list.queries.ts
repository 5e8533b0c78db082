import { sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { listCustomFields } from '#contract/companies/own-fields.ts';
import type { listTags } from '#contract/companies/tags.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { type OwnField, readOwnFields, readTags, type Tag } from '../own-fields/own-fields.queries.ts';
import { readTemplateUses } from '../own-fields/template-uses.queries.ts';

/** What two members may edit of a field. Its place is no part: moving another field changes it too. */
export const fieldContent = ({ label, archived, options }: OwnField): unknown => [label, archived, options];

export const tagContent = ({ label, colour, archived }: Tag): unknown => [label, colour, archived];

/** Reads the fields in their order. @param counts also counts companies and templates */
export function listFields(account: AccountDb, counts: boolean): Promise<CallAnswer<typeof listCustomFields>> {
  return account.snapshot(async (tx) => {
    const fields = await readOwnFields(tx, account.id);
    const uses = counts ? await countUses(tx, account.id) : null;
    return fields.map((field, index) => {
      const { options, archived, ...shown } = field;
      const ofOptions = options.map((option) => uses && (uses.labels.get(option.id) ?? 0));
      const companies =
        field.type === 'choice'
          ? ofOptions.reduce<number>((sum, count) => sum + (count ?? 0), 0)
          : uses?.values.get(field.id);
      return {
        ...shown,
        position: index + 1,
        archived: asFlag(archived),
        options: options.map((option, at) => ({
          ...option,
          archived: asFlag(option.archived),
          companies: ofOptions[at] ?? null,
        })),
        companies: uses === null ? null : (companies ?? 0),
        templates: uses?.templates(field.key) ?? null,
        version: contentVersion(fieldContent(field)),
      };
    });
  });
}

/** Reads the tags by name. @param counts also counts companies */
export function listTagsOf(account: AccountDb, counts: boolean): Promise<CallAnswer<typeof listTags>> {
  return account.snapshot(async (tx) => {
    const labels = counts ? await countLabels(tx, account.id) : null;
    return (await readTags(tx, account.id)).map((tag) => ({
      ...tag,
      archived: asFlag(tag.archived),
      companies: labels && (labels.get(tag.id) ?? 0),
      version: contentVersion(tagContent(tag)),
    }));
  });
}

async function countUses(tx: Tx, accountId: number) {
  const { rows } = await sql<{ field: number; companies: number }>`
    SELECT field::integer, count(*)::integer AS companies
    FROM prospect_own CROSS JOIN LATERAL jsonb_object_keys(vals) AS field
    WHERE account_id = ${accountId}
    GROUP BY field`.execute(tx);
  const templates = await readTemplateUses(tx, accountId);
  return {
    values: new Map(rows.map(({ field, companies }) => [field, companies])),
    labels: await countLabels(tx, accountId),
    templates: (key: string) => templates.filter(({ keys }) => keys.includes(key)).length,
  };
}

/** Counts the companies of each tag and option, by their sets. */
async function countLabels(tx: Tx, accountId: number): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ label: number; companies: number }>`
    SELECT label::integer, sum(used.companies)::integer AS companies
    FROM (
      SELECT label_set_id, count(*) AS companies FROM prospect_own
      WHERE account_id = ${accountId} AND label_set_id IS NOT NULL
      GROUP BY label_set_id
    ) AS used
    JOIN label_set ON label_set.account_id = ${accountId} AND label_set.id = used.label_set_id
    CROSS JOIN LATERAL unnest(string_to_array(btrim(label_set.members, ','), ',')) AS label
    GROUP BY label`.execute(tx);
  return new Map(rows.map(({ label, companies }) => [label, companies]));
}
