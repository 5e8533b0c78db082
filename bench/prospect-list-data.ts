import type pg from 'pg';
import type { Database } from '#server/platform/database/db.ts';
import { addAccount } from '#test/accounts.ts';
import { CITIES, GIVEN_NAMES, INDUSTRIES, STEMS, SURNAMES } from '../scripts/example-words.ts';

/** Makes an account with prospects like those in `examples/` and a history of mails, for measuring the lists. */
export interface ProspectListData {
  readonly accountId: number;
  /** A group that has mailed most companies of the list over a year. */
  readonly yearGroup: number;
  /** A group that mails the list from its beginning: the first fifth this week. */
  readonly weekGroup: number;
}

const TARGETS = 1000;
const VARIANTS = ['', 'の企画', 'の販売', 'の保守', '（法人向け）'];
const INNER = INDUSTRIES.flatMap(({ inner }) => inner);

/** Parts of industry values: about 370 terms; those of the first variant are frequent. */
const TERMS = [
  ...INDUSTRIES.map(({ major }) => major),
  ...VARIANTS.flatMap((variant) => INNER.map((term) => (term + variant).normalize('NFKC').toLowerCase())),
];
const TOKYO = CITIES.filter(([city]) => city?.startsWith('東京都')).length;

/**
 * Fills a migrated, empty database with `count` prospects (a multiple of 10,000) and three deliveries for each.
 * Adds another account a tenth as large. The data is the same each time. Needs a superuser, who can switch off foreign
 * keys.
 */
export async function addProspectListData({ db, pool }: Database, count: number): Promise<ProspectListData> {
  const client = await pool.connect();
  try {
    await client.query('SELECT setseed(0.20261121)');
    const { accountId } = await addAccount(db, { email: 'bench@example.com' });
    const neighbour = await addAccount(db);
    await addProspects(client, { accountId, count });
    await addProspects(client, { accountId: neighbour.accountId, count: count / 10 });
    // From here on triggers and foreign keys are off; the rows that triggers maintain are written explicitly.
    await client.query('SET session_replication_role = replica');
    const yearGroup = await addGroup(client, accountId);
    const weekGroup = await addGroup(client, accountId);
    await addRuns(client, { accountId, group: yearGroup, count: count * 2, thisWeek: 0 });
    await addRuns(client, { accountId, group: weekGroup, count, thisWeek: count / 5 });
    await addGroupState(client, accountId, count);
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
    return { accountId, yearGroup, weekGroup };
  } finally {
    client.release(true);
  }
}

/**
 * Adds people to all companies, half more than companies: two of three companies have a main contact person with an
 * address, half of all a second person. Triggers are off: what they keep is written too.
 */
export async function addPeople({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET session_replication_role = replica');
    await client.query(`
      INSERT INTO person (account_id, prospect_id, name, name_key, department, title, email, email_search)
      SELECT account_id, id, '佐藤 ' || id, '佐藤' || id, '購買部', '部長', mail, mail
      FROM (SELECT account_id, id, CASE WHEN id % 3 < 2 THEN 'p' || id || '@' || coalesce(email_domain, id || '.example') END
        AS mail FROM prospect) AS company
      UNION ALL SELECT account_id, id, '鈴木 ' || id, '鈴木' || id, '総務部', '', NULL, NULL FROM prospect WHERE id % 2 = 0`);
    await client.query(`
      UPDATE prospect SET person_id = person.id, person_email = person.email, person_email_search = person.email_search
      FROM person WHERE person.account_id = prospect.account_id AND person.prospect_id = prospect.id
        AND person.department = '購買部'`);
    await client.query(`
      UPDATE prospect_search AS search SET person_email_search = prospect.person_email_search
      FROM prospect WHERE prospect.account_id = search.account_id AND prospect.id = search.id
        AND prospect.person_email_search IS NOT NULL`);
    // As good as new: the tables of a list that was imported with its people have no dead rows.
    for (const table of ['prospect', 'prospect_search', 'person']) await client.query(`VACUUM FULL ANALYZE ${table}`);
    await client.query('CHECKPOINT');
  } finally {
    client.release(true);
  }
}

/** Adds prospects. Fields are blank as often as in the examples, mail addresses more often. */
async function addProspects(
  client: pg.PoolClient,
  { accountId, count }: { accountId: number; count: number },
): Promise<void> {
  const before = (at: number) => INDUSTRIES.slice(0, at).reduce((sum, { inner }) => sum + inner.length, 0);
  const kinds = INDUSTRIES.map(({ major, suffixes, inner, salesPerHead }, at) => ({
    number: at,
    major,
    suffixes: suffixes.map(([written]) => written),
    readings: suffixes.map(([, reading]) => reading),
    first_term: INDUSTRIES.length + before(at),
    term_count: inner.length,
    sales_per_head: (salesPerHead[0] + salesPerHead[1]) / 2,
  }));
  const chances = Array.from({ length: 20 }, (_, at) => `random() AS r${at}`).join(', ');
  const pick = (list: string, chance: string) => `(${list})[1 + floor(cardinality(${list}) * ${chance})::integer]`;
  const often = (share: number, chance: string, value: string) => `CASE WHEN ${chance} < ${share} THEN ${value} END`;
  await client.query(
    `WITH company AS MATERIALIZED (
       SELECT n, name, mail, ceo, address, major,
         array_to_string(ARRAY(SELECT ($3::text[])[1 + term] FROM unnest(terms) AS term), '、') AS included,
         ${often(0.95, 'r10', 'employees')} AS employees, ${often(0.88, 'r11', 'sales')} AS sales,
         ${often(0.75, 'r12', 'round(sales * (0.15 * r13 - 0.04))')} AS profit,
         ${often(0.93, 'r14', `${pick('ARRAY[1,3,5,10,10,20,30,50,98,100,300,1000]', 'r15')} * 1000000`)} AS capital,
         ${often(0.96, 'r16', '(2025 - 90 * power(r17, 1.6))::integer')} AS year,
         ${often(0.88, 'r18', `'https://www.' || domain || '/'`)} AS site,
         ${often(0.7, 'r19', `'https://www.' || domain || '/contact'`)} AS form
       FROM (
         SELECT *, ${often(0.7, 'r8', `'info@' || domain`)} AS mail, round(employees * sales_per_head * (0.5 + r9)) * 1000000 AS sales
         FROM (
           SELECT *,
             ${pick(`ARRAY['株式会社', '株式会社', '有限会社', '合同会社']`, 'r0')} || ($4::text[])[stem] || suffixes[suffix] AS name,
             ($5::text[])[stem] || '-' || readings[suffix] || n || '.example' AS domain,
             ($6::text[])[CASE WHEN r3 < 0.18 THEN 1 + floor(r4 * $9) ELSE 1 + $9 + floor(r4 * (cardinality($6::text[]) - $9)) END]
               || concat_ws('-', 1 + n % 6, 1 + n / 6 % 40, 1 + n / 240) AS address,
             ${often(0.93, 'r5', `${pick('$7::text[]', 'r6')} || ' ' || ${pick('$8::text[]', 'r7')}`)} AS ceo,
             greatest(2, round(30 * exp((r1 + r2 - 1) * 3))) AS employees,
             ARRAY(SELECT first_term + variant * $10 + (floor(r13 * term_count)::integer + further) % term_count
               FROM generate_series(0, floor(r14 * 3)::integer) AS further) AS terms
           FROM (
             SELECT *, 1 + floor(r15 * cardinality($4::text[]))::integer AS stem,
               1 + floor(r16 * cardinality(suffixes))::integer AS suffix,
               CASE WHEN r17 < 0.8 THEN 0 ELSE ceil((r17 - 0.8) * 20)::integer END AS variant
             FROM (SELECT n, ${chances} FROM generate_series(1, $2::integer) AS n) AS row
             JOIN jsonb_to_recordset($11::jsonb) AS kind (number integer, major text, suffixes text[], readings text[],
               first_term integer, term_count integer, sales_per_head float) ON number = floor(r9 * ${INDUSTRIES.length})
           ) AS chosen
         ) AS written
       ) AS company
     ), industry_value AS (
       INSERT INTO industry (account_id, name_search) SELECT $1::bigint, major FROM company UNION SELECT $1, included FROM company
       RETURNING id, name_search
     )
     INSERT INTO prospect (account_id, identity_key, company_name, company_email, email_search, ceo, address, address_search,
       major_industry_type, major_industry_id, included_industry_type, included_industry_id, number_of_employees,
       amount_of_sales, ordinary_profit, capital, year_of_establishment, company_url, contact_url)
     SELECT $1, lower(name || E'\\n' || address), name, mail, mail, ceo, address, address, major, of_major.id, included,
       of_included.id, employees, sales, profit, capital, year, site, form
     FROM company
     JOIN industry_value AS of_major ON of_major.name_search = major
     JOIN industry_value AS of_included ON of_included.name_search = included
     ORDER BY n`,
    [
      accountId,
      count,
      TERMS,
      STEMS.map(([written]) => written),
      STEMS.map(([, reading]) => reading),
      CITIES.map(([city = '', town = '']) => city + town),
      SURNAMES,
      GIVEN_NAMES,
      TOKYO,
      INNER.length,
      JSON.stringify(kinds),
    ],
  );
}

async function addGroup(client: pg.PoolClient, accountId: number): Promise<number> {
  const group = await insertOne(
    client,
    `INSERT INTO sender_group (account_id, group_name) VALUES ($1, 'グループ') RETURNING id`,
    [accountId],
  );
  const template = await insertOne(
    client,
    `INSERT INTO mail_template (account_id, name, text_body, html_body) VALUES ($1, 'ひな形', '本文', '<p>本文</p>') RETURNING id`,
    [accountId],
  );
  await client.query(
    `WITH profile AS (
       INSERT INTO sender_profile (account_id, sender_group_id, person_in_charge, email)
       VALUES ($1, $2, '担当', 'sender@example.com') RETURNING id)
     INSERT INTO sender (account_id, sender_group_id, profile_id, template_id, subject)
     SELECT $1, $2, id, $3, '件名' FROM profile`,
    [accountId, group, template],
  );
  return group;
}

/**
 * Adds `count` finished mails in runs of a thousand.
 * The first `thisWeek` were sent this week in the list's order; the others in the year before, all over the list (one
 * company in seven is never mailed). Writes contact_state and address_contact to match.
 */
async function addRuns(
  client: pg.PoolClient,
  { accountId, group, count, thisWeek }: { accountId: number; group: number; count: number; thisWeek: number },
): Promise<void> {
  const firstLog = await insertOne(
    client,
    `WITH added AS (
       INSERT INTO send_log (account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail, targets, sent_at)
       SELECT $1, $2, id, false, 7, '{}', $5, CASE WHEN log < $4 THEN now() - interval '6 days' * log / $4
         ELSE now() - interval '365 days' * (log - $4) / ($3 - $4) END
       FROM sender, generate_series(0, $3 - 1) AS log WHERE account_id = $1 AND sender_group_id = $2
       ORDER BY log RETURNING id)
     SELECT min(id) AS id FROM added`,
    [accountId, group, count / TARGETS, thisWeek / TARGETS, TARGETS],
  );
  await client.query(
    `INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, prospect_id, test_send_mode, row_index, mail_to,
       company_name, person_in_charge, message_id, mail_date, state, attempts, finished_at)
     SELECT $1, log.id, $2, log.sender_id, sender.profile_id, prospect.id, false, n % $5, coalesce(company_email, 'info@nowhere.example'), company_name,
       coalesce(ceo, ''), '<' || $2::bigint::text || '.' || n || '@example.com>', log.sent_at,
       CASE WHEN n % 1000 = 999 AND n % 20000 <> 999 THEN 'cancelled' WHEN n % 50 = 49 THEN 'failed' ELSE 'sent' END, 1, log.sent_at
     FROM (SELECT n, CASE WHEN n < $4 THEN n ELSE (n::bigint * 7919 + 13) % size END AS at, first_id, size
       FROM generate_series(0, $3 - 1) AS n,
         (SELECT min(id) AS first_id, count(*)::integer AS size FROM prospect WHERE account_id = $1) AS list) AS target
     JOIN send_log AS log ON log.account_id = $1 AND log.id = $6 + n / $5
     JOIN sender ON sender.account_id = $1 AND sender.id = log.sender_id
     JOIN prospect ON prospect.account_id = $1 AND prospect.id = first_id + at
     WHERE n < $4 OR at % 7 <> 0`,
    [accountId, group, count, thisWeek, TARGETS, firstLog],
  );
  await client.query(
    `INSERT INTO contact_state (account_id, sender_group_id, prospect_id, last_sent_at)
     SELECT account_id, sender_group_id, prospect_id, max(finished_at) FROM delivery
     WHERE account_id = $1 AND sender_group_id = $2 AND state = 'sent' GROUP BY 1, 2, 3`,
    [accountId, group],
  );
  await client.query(
    `INSERT INTO address_contact (account_id, sender_group_id, address_key, last_sent_at)
     SELECT account_id, sender_group_id, address_key, max(finished_at) FROM delivery
     WHERE account_id = $1 AND sender_group_id = $2 AND state = 'sent' GROUP BY 1, 2, 3`,
    [accountId, group],
  );
}

/** Deactivates one company in a hundred for both groups, and adds remarks, reservations and opt-outs. */
async function addGroupState(client: pg.PoolClient, accountId: number, count: number): Promise<void> {
  await client.query(
    `INSERT INTO active_prospect (account_id, sender_group_id, prospect_id, active, remarks)
     SELECT $1, sender_group.id, prospect.id, prospect.id % 101 <> 0,
       CASE WHEN prospect.id % 53 = 0 THEN ($2::text[])[1 + prospect.id / 53 % 4] ELSE '' END
     FROM sender_group JOIN prospect USING (account_id)
     WHERE account_id = $1 AND (prospect.id % 101 = 0 OR prospect.id % 53 = 0)`,
    [accountId, ['電話で断られた', '次回は来年4月以降', '担当者が変わった', '資料請求あり']],
  );
  await client.query(
    `WITH added AS (
       INSERT INTO reservation (account_id, sender_id, sender_group_id, send_at, test_send_mode)
       SELECT $1, id, sender_group_id, date_trunc('hour', now()) + interval '1 day' * day, false
       FROM sender, generate_series(1, 5) AS day WHERE account_id = $1 RETURNING id, sender_group_id)
     INSERT INTO reservation_target (account_id, reservation_id, prospect_id, sender_group_id, test_send_mode)
     SELECT $1, added.id, first_id + $2 / 5 + added.id * ${TARGETS} + n, sender_group_id, false
     FROM added, generate_series(0, $3 - 1) AS n, (SELECT min(id) AS first_id FROM prospect WHERE account_id = $1) AS list`,
    [accountId, count, TARGETS],
  );
  await client.query(
    `INSERT INTO suppression (account_id, kind, value, reason)
     SELECT $1, 'address', company_email, 'opt-out' FROM prospect WHERE account_id = $1 AND id % 997 = 0 AND company_email IS NOT NULL
     UNION ALL
     SELECT $1, 'domain', split_part(company_email, '@', 2), 'opt-out' FROM prospect
     WHERE account_id = $1 AND id % 9973 = 0 AND id % 997 <> 0 AND company_email IS NOT NULL`,
    [accountId],
  );
}

async function insertOne(client: pg.PoolClient, sql: string, values: unknown[]): Promise<number> {
  const { rows } = await client.query<{ id: number | string }>(sql, values);
  return Number(rows[0]?.id);
}
