import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';
import type { OwnWrite } from '../../own-fields/next-own.ts';
import { readOwnFields, readTags } from '../../own-fields/own-fields.queries.ts';
import type { OwnValue } from '../../own-fields/own-value.ts';
import { readTemplateUses } from '../../own-fields/template-uses.queries.ts';
import { writeOwn } from '../../own-fields/write-own.command.ts';
import { removePeople } from '../../people/remove-people.command.ts';
import { type PersonWrite, writePeople } from '../../people/write-people.command.ts';
import type { ImportSource } from '../merge/import-run.queries.ts';

/*
 * Gives the companies in undo_company that an import changed their old people, own values, tags, 担当 and 外部ID. What
 * was changed since keeps its company out of that table's rows without a reason to stay.
 */

const PAGE_COMPANIES = 500;

/** The old values by the keys of prospect_change. */
type Old = Readonly<Record<string, unknown>>;
interface Changed {
  readonly id: number;
  readonly old: Old;
  /** The tags after the import. */
  readonly tags: readonly number[];
  readonly primary: number | null;
}

/** @param checkpoint called between pages; if it throws, the undo ends @returns how many people were restored */
export async function restoreOwn(tx: Tx, source: ImportSource, checkpoint: () => void): Promise<number> {
  const tags = new Set((await readTags(tx, source.accountId)).map(({ id }) => id));
  const fields = new Set((await readOwnFields(tx, source.accountId)).map(({ id }) => id));
  const members = await readMemberIds(tx, source.accountId);
  let people = 0;
  for (let after = 0; ; ) {
    checkpoint();
    const companies = await readChanged(tx, source, after);
    const last = companies.at(-1);
    if (last === undefined) return people;
    after = last.id;
    people += await restorePeople(tx, source, companies);
    const { accountId, memberId, importRunId } = source;
    await writeOwn(
      tx,
      { accountId, memberId, importRunId, kind: 'import_undone' },
      companies.map((company) => oldOwn(company, { tags, fields, members })),
    );
    await restoreIds(tx, source, companies);
  }
}

async function readChanged(
  tx: Tx,
  { accountId, importRunId }: ImportSource,
  after: number,
): Promise<readonly Changed[]> {
  const { rows } = await sql<Changed>`
    SELECT company.id, change.old, change.tags, prospect.person_id AS primary
    FROM undo_company AS company
    JOIN prospect ON prospect.account_id = ${accountId} AND prospect.id = company.id
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_object_agg(key, pair -> 0 ORDER BY change.id DESC), '{}') AS old,
        coalesce(jsonb_agg(pair -> 1 ORDER BY change.id) FILTER (WHERE key = 'own.tags') -> -1, '[]') AS tags
      FROM prospect_change AS change CROSS JOIN LATERAL jsonb_each(change.changes) AS field (key, pair)
      WHERE change.account_id = ${accountId} AND change.prospect_id = company.id
        AND change.import_run_id = ${importRunId} AND change.sender_group_id IS NULL AND change.kind = 'imported'
        AND (key LIKE 'own.%' OR key LIKE 'person%' OR key = 'external_id')
    ) AS change
    WHERE company.id > ${after} AND NOT is_added AND stays IS NULL AND change.old <> '{}'
    ORDER BY company.id LIMIT ${sql.lit(PAGE_COMPANIES)}`.execute(tx);
  return rows;
}

async function readMemberIds(tx: Tx, accountId: number): Promise<ReadonlySet<number>> {
  const rows = await tx.selectFrom('member').select('id').where('account_id', '=', accountId).execute();
  return new Set(rows.map(({ id }) => id));
}

interface Present {
  readonly tags: ReadonlySet<number>;
  readonly fields: ReadonlySet<number>;
  readonly members: ReadonlySet<number>;
}

/** The old own values, without tags, fields and members that are gone. */
function oldOwn({ id, old, tags: tagsAfter }: Changed, present: Present): OwnWrite {
  const values = new Map<number, OwnValue | null>();
  for (const [key, value] of Object.entries(old)) {
    const field = Number(/^own\.(\d+)$/.exec(key)?.[1]);
    if (present.fields.has(field)) values.set(field, value as OwnValue | null);
  }
  const { 'own.tags': tags, 'own.owner': owner } = old as { 'own.tags'?: number[]; 'own.owner'?: number | null };
  return {
    prospectId: id,
    values,
    // Not the old set: a tag that another one was merged into since stays.
    ...(tags !== undefined && {
      addLabels: tags.filter((tag) => !tagsAfter.includes(tag) && present.tags.has(tag)),
      removeLabels: tagsAfter.filter((tag) => !tags.includes(tag)),
    }),
    ...(owner !== undefined && { ownerId: owner !== null && present.members.has(owner) ? owner : null }),
  };
}

/** Deletes the people that the import added, and gives the others their old values. @returns how many of these */
async function restorePeople(
  tx: Tx,
  { accountId, memberId, importRunId }: ImportSource,
  companies: readonly Changed[],
): Promise<number> {
  const changed = companies.filter(({ old }) => Object.keys(old).some((key) => key.startsWith('person')));
  if (changed.length === 0) return 0;
  const scope = { accountId, memberId, importRunId, kind: 'import_undone' as const };
  const { rows } = await sql<{ id: number; isAdded: boolean }>`
    SELECT id, import_run_id IS NOT DISTINCT FROM ${importRunId} AS "isAdded" FROM person
    WHERE account_id = ${accountId} AND prospect_id = ANY (${changed.map(({ id }) => id)}::bigint[])`.execute(tx);
  const kept = new Set(rows.flatMap(({ id, isAdded }) => (isAdded ? [] : [id])));
  await removePeople(
    tx,
    scope,
    rows.flatMap(({ id, isAdded }) => (isAdded ? [id] : [])),
  );
  const writes = changed.flatMap((company) => oldPeople(company, kept));
  await writePeople(tx, scope, writes);
  return new Set(writes.filter(({ isPrimary }) => isPrimary === undefined).map(({ id }) => id)).size;
}

/** The columns of a person as an entry names them. */
const ENTRY_OF: Readonly<Record<string, keyof PersonWrite>> = {
  name: 'name',
  department: 'department',
  title: 'title',
  email: 'email',
  phone: 'phone',
  met_on: 'metOn',
};
/** '' where there is none. */
const TEXTS: ReadonlySet<string> = new Set(['name', 'department', 'title']);

/** @param kept the people that were there before the import */
function oldPeople({ id: prospectId, old, primary }: Changed, kept: ReadonlySet<number>): PersonWrite[] {
  const entries = new Map<number, Record<string, unknown>>();
  for (const [key, value] of Object.entries(old)) {
    const [, person = '', column = ''] = /^person\.(\d+)\.(\w+)$/.exec(key) ?? [];
    const name = ENTRY_OF[column];
    if (name === undefined || !kept.has(Number(person))) continue;
    const entry = entries.get(Number(person)) ?? {};
    entries.set(Number(person), { ...entry, [name]: TEXTS.has(column) ? (value ?? '') : value });
  }
  const writes: PersonWrite[] = [...entries].map(([id, entry]) => ({ prospectId, id, ...entry }));
  const before = old.person_id as number | null | undefined;
  if (before === undefined) return writes;
  if (before !== null && kept.has(before)) return [...writes, { prospectId, id: before, isPrimary: true }];
  if (primary === null || !kept.has(primary)) return writes;
  return [...writes, { prospectId, id: primary, isPrimary: false }];
}

/** Takes the 外部ID back that the import gave. */
async function restoreIds(
  tx: Tx,
  { accountId, memberId, importRunId }: ImportSource,
  companies: readonly Changed[],
): Promise<void> {
  const ids = companies.flatMap(({ id, old }) => ('external_id' in old ? [id] : []));
  if (ids.length === 0) return;
  await sql`
    WITH before AS (
      SELECT id, external_id FROM prospect
      WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[]) AND external_id IS NOT NULL
    ), emptied AS (
      UPDATE prospect SET external_id = NULL FROM before
      WHERE prospect.account_id = ${accountId} AND prospect.id = before.id
      RETURNING prospect.id, before.external_id
    )
    INSERT INTO prospect_change (account_id, member_id, prospect_id, import_run_id, kind, changes)
    SELECT ${accountId}::bigint, ${memberId}::bigint, id, ${importRunId}::bigint, 'import_undone',
      jsonb_build_object('external_id', jsonb_build_array(external_id, NULL))
    FROM emptied ORDER BY id`.execute(tx);
}

/** Archives the fields that the import made, where no company has a value of them and no template names them. */
export async function archiveFields(tx: Tx, { accountId, importRunId }: ImportSource): Promise<void> {
  const named = (await readTemplateUses(tx, accountId)).flatMap(({ keys }) => keys);
  await sql`
    UPDATE custom_field AS field SET archived_at = now()
    WHERE account_id = ${accountId} AND import_run_id = ${importRunId} AND archived_at IS NULL
      AND key <> ALL (${named}::text[])
      AND NOT EXISTS (
        SELECT FROM prospect_own AS own WHERE own.account_id = ${accountId} AND jsonb_exists(own.vals, field.id::text))
      AND NOT EXISTS (
        SELECT FROM label
        JOIN label_set ON label_set.account_id = ${accountId} AND label_set.members LIKE '%,' || label.id || ',%'
        JOIN prospect_own AS own ON own.account_id = ${accountId} AND own.label_set_id = label_set.id
        WHERE label.account_id = ${accountId} AND label.field_id = field.id)`.execute(tx);
}

/** Counts the people that an import has added and that are still there. */
export async function countPeople(tx: Tx, { accountId, importRunId }: ImportSource): Promise<number> {
  const { people } = await tx
    .selectFrom('person')
    .select(sql<number>`count(*)::integer`.as('people'))
    .where('account_id', '=', accountId)
    .where('import_run_id', '=', importRunId)
    .executeTakeFirstOrThrow();
  return people;
}
