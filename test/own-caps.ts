import { sql } from 'kysely';
import {
  MAX_COMPANY_TAGS,
  MAX_FIELD_OPTIONS,
  MAX_NAME_LENGTH,
  MAX_OWN_FIELDS,
  MAX_OWN_LENGTH,
  MAX_PEOPLE_OF_COMPANY,
  MAX_TAGS,
  MAX_TARGETS,
} from '#domain/limits.ts';
import type { Db } from '#server/platform/database/db.ts';
import { addManyProspects, addTenant, type Tenant } from './prospects.ts';

/** Accounts with as many own fields, tags and people as the calls permit, and the calls that read and change them. */

/** An account whose own data are full. */
export interface FullOwn extends Tenant {
  readonly type: 'choice' | 'text';
  readonly companies: readonly number[];
  readonly fields: readonly { readonly id: number; readonly key: string; readonly label: string }[];
  /** Options of the fields in their order, MAX_FIELD_OPTIONS a field; none where the fields are texts. */
  readonly options: readonly number[];
  readonly tags: readonly number[];
}

/**
 * Adds such an account. Each company has a value of each field, all tags that it may have, and a set of labels of its
 * own. The first company has all people that it may have, the others a person each.
 * @param companies as many as a run and a bulk act take at once
 */
export async function addFullOwn(db: Db, type: FullOwn['type'], companies = MAX_TARGETS): Promise<FullOwn> {
  const tenant = await addTenant(db);
  const { accountId } = tenant;
  await addManyProspects(db, accountId, companies);
  // As an import knows them again (identityKey).
  await sql`
    UPDATE prospect SET identity_key = company_name || E'\n' || address WHERE account_id = ${accountId}`.execute(db);
  const fields = await addFieldsAndLabels(db, accountId, type);
  const labels = await db
    .selectFrom('label')
    .select(['id', 'field_id'])
    .where('account_id', '=', accountId)
    .orderBy('field_id')
    .orderBy('position')
    .execute();
  const options = labels.flatMap(({ id, field_id }) => (field_id === null ? [] : [id]));
  const tags = labels.flatMap(({ id, field_id }) => (field_id === null ? [id] : []));
  await addValues(db, accountId, { type, fields: fields.map(({ id }) => id), options, tags });
  await addAllPeople(db, accountId);
  const named = fields.map(({ key }) => `{{ custom.${key} }}`).join('');
  const parts = { text_body: `本文${named}{{ person.name }}`, html_body: `<p>本文${named}{{ person.name }}</p>` };
  await db.updateTable('mail_template').set(parts).where('account_id', '=', accountId).execute();
  const rows = await db.selectFrom('prospect').select('id').where('account_id', '=', accountId).orderBy('id').execute();
  return { ...tenant, type, companies: rows.map(({ id }) => id), fields, options, tags };
}

/** As long as a name may be. */
const longName = (letter: string, n: ReturnType<typeof sql.ref>) =>
  sql`rpad(${n} || ${letter}, ${MAX_NAME_LENGTH}::integer, ${letter})`;

async function addFieldsAndLabels(db: Db, accountId: number, type: FullOwn['type']) {
  const n = sql.ref('n');
  const { rows: fields } = await sql<{ id: number; key: string; label: string }>`
    INSERT INTO custom_field (account_id, key, label, label_key, type, position)
    SELECT ${accountId}, 'f' || n, ${longName('項', n)}, ${longName('項', n)}, ${type}, n
    FROM generate_series(1, ${MAX_OWN_FIELDS}::integer) AS n
    RETURNING id, key, label`.execute(db);
  await sql`
    INSERT INTO label (account_id, field_id, label, label_key, position)
    SELECT ${accountId}, NULL, ${longName('札', n)}, ${longName('札', n)}, n
    FROM generate_series(1, ${MAX_TAGS}::integer) AS n`.execute(db);
  if (type === 'choice')
    await sql`
      INSERT INTO label (account_id, field_id, label, label_key, position)
      SELECT ${accountId}, field.id, ${longName('択', n)}, ${longName('択', n)}, n
      FROM custom_field AS field, generate_series(1, ${MAX_FIELD_OPTIONS}::integer) AS n
      WHERE field.account_id = ${accountId}`.execute(db);
  return fields;
}

interface Labels {
  readonly type: FullOwn['type'];
  readonly fields: readonly number[];
  readonly options: readonly number[];
  readonly tags: readonly number[];
}

async function addValues(db: Db, accountId: number, { type, fields, options, tags }: Labels): Promise<void> {
  const length = MAX_OWN_LENGTH / MAX_OWN_FIELDS;
  // No two companies have the same labels.
  await sql`
    WITH company AS (
      SELECT id, row_number() OVER (ORDER BY id) AS n FROM prospect WHERE account_id = ${accountId}
    ), member AS (
      SELECT n, (${tags}::integer[])[1 + (n * 7 + place * (n / ${MAX_TAGS}::integer + 11)) % ${MAX_TAGS}::integer] AS label
      FROM company, generate_series(1, ${MAX_COMPANY_TAGS}::integer) AS place
      UNION ALL
      SELECT n, (${options}::integer[])[
        1 + place * ${MAX_FIELD_OPTIONS}::integer + (n / (1 + place % 7) + place) % ${MAX_FIELD_OPTIONS}::integer]
      FROM company, generate_series(0, ${MAX_OWN_FIELDS - 1}::integer) AS place WHERE ${type === 'choice'}
    ), set AS (
      INSERT INTO label_set (account_id, members)
      SELECT ${accountId}, ',' || string_agg(DISTINCT label::text, ',') || ',' FROM member GROUP BY n
      RETURNING id
    ), numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM set),
    valued AS (
      SELECT n, jsonb_object_agg(field, rpad(n || '-' || field || '値', ${length}::integer, '値')) AS vals
      FROM company, unnest(${fields}::integer[]) AS field WHERE ${type === 'text'} GROUP BY n
    )
    INSERT INTO prospect_own (account_id, prospect_id, label_set_id, vals, text_search)
    SELECT ${accountId}, company.id, numbered.id, coalesce(vals, '{}'), coalesce(vals, '{}')
    FROM company JOIN numbered USING (n) LEFT JOIN valued USING (n)`.execute(db);
  // Members are read in rising order.
  await sql`
    UPDATE label_set SET members = ',' || (
      SELECT string_agg(label, ',' ORDER BY label::integer)
      FROM unnest(string_to_array(btrim(members, ','), ',')) AS label) || ','
    WHERE account_id = ${accountId}`.execute(db);
}

async function addAllPeople(db: Db, accountId: number): Promise<void> {
  const n = sql.ref('n');
  await sql`
    INSERT INTO person (account_id, prospect_id, name, name_key, department, title, email, email_search)
    SELECT ${accountId}, company.id, ${longName('名', n)}, ${longName('名', n)}, ${longName('部', n)},
      ${longName('役', n)}, 'p' || n || '@c' || company.id || '.example', 'p' || n || '@c' || company.id || '.example'
    FROM (SELECT id, min(id) OVER () AS first FROM prospect WHERE account_id = ${accountId}) AS company,
      generate_series(1, ${MAX_PEOPLE_OF_COMPANY}::integer) AS n
    WHERE n = 1 OR company.id = first`.execute(db);
  await sql`
    UPDATE prospect SET person_id = person.id, person_email = email, person_email_search = person.email_search
    FROM (
      SELECT DISTINCT ON (prospect_id) * FROM person WHERE account_id = ${accountId} ORDER BY prospect_id, id
    ) AS person
    WHERE prospect.account_id = ${accountId} AND prospect.id = person.prospect_id`.execute(db);
}
