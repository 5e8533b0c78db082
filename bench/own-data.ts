import type pg from 'pg';
import type { Case } from './api-cases.ts';

/** The own fields and tags of a list, and requests that filter by them. */

export const FEW_SETS = 2000;
export const MANY_SETS = 200_000;
const TAGS = 500;
/** The share of companies with own values, in hundredths. */
const OWN_SHARE = 60;

/**
 * Gives companies own values: a text, a number, a day, an answer and a page, and a set of up to five of 500 tags. The
 * first tags are frequent: the first is in a fifth of the sets, the last in some of a thousand.
 * @param sets how many different sets the companies have
 */
export async function addOwnData(client: pg.ClientBase, accountId: number, sets: number): Promise<void> {
  await client.query(
    `INSERT INTO custom_field (account_id, key, label, label_key, type, position)
     SELECT $1, key, key, key, type, place FROM unnest(
       ARRAY['event', 'seats', 'met', 'member', 'jobs'], ARRAY['text', 'number', 'date', 'flag', 'url'])
       WITH ORDINALITY AS field (key, type, place)`,
    [accountId],
  );
  await client.query(
    `INSERT INTO label (account_id, label, label_key, position)
     SELECT $1, 'タグ' || n, 'タグ' || n, n FROM generate_series(1, ${TAGS}) AS n`,
    [accountId],
  );
  await addSets(client, accountId, sets);
  await client.query(
    `INSERT INTO prospect_own (account_id, prospect_id, label_set_id, vals, text_search)
     SELECT $1, prospect.id, set.id,
       jsonb_build_object(event.id::text, name, seats.id::text, prospect.id % 1000, met.id::text,
         to_char(date '2020-01-01' + (prospect.id % 2000)::integer, 'YYYY-MM-DD'), member.id::text, prospect.id % 3 = 0,
         jobs.id::text, 'https://www.example.com/jobs/' || prospect.id),
       jsonb_build_object(event.id::text, name)
     FROM prospect
     CROSS JOIN LATERAL (SELECT (ARRAY['東京産業展', '大阪ものづくり展', '名古屋機械要素展', '福岡食品展'])[1 + prospect.id % 4]
       || ' ' || 2016 + prospect.id % 11 || ' ブース' || prospect.id % 300 AS name) AS event_name
     JOIN custom_field AS event ON event.account_id = $1 AND event.key = 'event'
     JOIN custom_field AS seats ON seats.account_id = $1 AND seats.key = 'seats'
     JOIN custom_field AS met ON met.account_id = $1 AND met.key = 'met'
     JOIN custom_field AS member ON member.account_id = $1 AND member.key = 'member'
     JOIN custom_field AS jobs ON jobs.account_id = $1 AND jobs.key = 'jobs'
     JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM label_set WHERE account_id = $1) AS set
       ON set.n = prospect.id * 7919 % $2
     WHERE prospect.account_id = $1 AND prospect.id % 100 < ${OWN_SHARE}`,
    [accountId, sets],
  );
  await client.query('VACUUM ANALYZE prospect_own, label_set, label, custom_field');
}

async function addSets(client: pg.ClientBase, accountId: number, sets: number): Promise<void> {
  await client.query(
    `INSERT INTO label_set (account_id, members)
     SELECT $1, ',' || string_agg(id::text, ',' ORDER BY id) || ',' FROM (
       SELECT DISTINCT set, label.id FROM generate_series(1, $2::integer) AS set,
         LATERAL (SELECT 1 + floor(${TAGS} * power(random(), 3))::integer AS n
           FROM generate_series(1, 1 + set % 5)) AS chosen
       JOIN label ON label.account_id = $1 AND label.position = chosen.n AND label.field_id IS NULL) AS member
     GROUP BY set`,
    [accountId, sets],
  );
}

/** Spreads the companies over many sets, as where each import tags its companies anew. */
export async function spreadSets(client: pg.ClientBase, accountId: number, sets: number): Promise<void> {
  await client.query('BEGIN');
  await addSets(client, accountId, sets);
  // Their number is a value: a join by a column of both sides could not be hashed, and takes hours.
  const { rows } = await client.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM label_set WHERE account_id = $1',
    [accountId],
  );
  await client.query(
    `UPDATE prospect_own SET label_set_id = set.id
     FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM label_set WHERE account_id = $1) AS set
     WHERE prospect_own.account_id = $1 AND set.n = prospect_own.prospect_id * 7919 % $2::integer`,
    [accountId, rows[0]?.count],
  );
  await client.query('COMMIT');
  // As good as new: scans do not read the rows of before.
  await client.query('VACUUM FULL ANALYZE prospect_own, label_set');
}

/** Returns requests that filter by own fields and tags. @param tags ids of the account's tags, most frequent first */
export function ownCases(tags: readonly number[], sets: string): Case[] {
  const [frequent = 0, second = 0] = tags;
  const rare = tags.at(-1) ?? 0;
  const cases = {
    'tag, frequent': { tags: frequent },
    'tag, rare': { tags: rare },
    'two tags': { tags_all: `${frequent},${second}` },
    'without a tag': { tags_none: frequent },
    'tag by sales': { tags: frequent, sort: 'amount_of_sales', order: 'desc' },
    'tag by address': { tags: frequent, sort: 'address', order: 'asc' },
    'own text, frequent': { 'custom[event]': '東京' },
    'own text, rare': { 'custom[event]': 'ブース299、ブース298' },
    'own text, no match': { 'custom[event]': '此処には無い' },
    'own number': { 'custom[seats][from]': 900 },
    'own day': { 'custom[met][from]': '2025-01-01' },
    'tag and own text': { tags: frequent, 'custom[event]': '東京' },
    'page 1 with own columns': { own_columns: 'tags,event,seats,met,member,jobs', pagenate_count: 200 },
  } as const;
  return Object.entries(cases).map(([name, query]) => ({ name: `${name}, ${sets}`, query }));
}
