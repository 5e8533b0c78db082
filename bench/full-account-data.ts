import { sql } from 'kysely';
import {
  MAX_MEMBERS,
  MAX_NAME_LENGTH,
  MAX_SAVED_CONDITIONS,
  MAX_SENDER_GROUPS,
  MAX_SENDERS,
  MAX_SIGNATURE_LENGTH,
  MAX_TEAM,
  MAX_TEMPLATE_FOLDERS,
  MAX_TEMPLATES,
  TEMPLATE_VERSIONS,
} from '#domain/limits.ts';
import { CLOSING_DAYS_MAX, MAX_CLOSING_DAYS } from '#domain/sending/rules/closing-days.ts';
import { addDays } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { MAX_LISTED } from '#server/features/members/invitation-list.queries.ts';
import type { Db } from '#server/platform/database/db.ts';
import { addManyProspects, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';

/** Makes an account in which every rule is filled up to the limit of the calls. */

/** The number of runs whose mails are queued. */
const RUNS = 200;
const MAILS_A_RUN = 100;
const SUPPRESSIONS = 200_000;

/** Two periods of 15 minutes a weekday, so that estimating a run's end searches many of them. */
const PERIODS = Array.from({ length: 14 }, (_, n) => {
  const opens = (n % 2) * 720 + 540;
  return { weekday: Math.floor(n / 2), opens, closes: opens + 15 };
});

/** Adds groups with the most expensive hours until the account has the maximum. */
async function addGroups(db: Db, { accountId }: Tenant): Promise<void> {
  for (let n = 1; n < MAX_SENDER_GROUPS; n += 1) await addSenderGroup(db, accountId);
  await sql`
    INSERT INTO business_hours (account_id, sender_group_id, periods, on_holidays, outside)
    SELECT account_id, id, ${JSON.stringify(PERIODS)}::jsonb, false, 'hold' FROM sender_group
    WHERE account_id = ${accountId}`.execute(db);
}

/** Adds profiles, each with its own domain and a sender, until the account has the maximum. */
async function addSenders(db: Db, { accountId, senderGroupId }: Tenant, most: number): Promise<void> {
  await sql`
    WITH profile AS (
      INSERT INTO sender_profile (account_id, sender_group_id, person_in_charge, email, signature)
      SELECT ${accountId}, ${senderGroupId}, '担当' || n, 'sales@domain-' || n || '.example',
        repeat('署', ${MAX_SIGNATURE_LENGTH}::integer)
      FROM generate_series(2, ${most}::integer) AS n
      RETURNING id
    ), template AS (SELECT min(id) AS id FROM mail_template WHERE account_id = ${accountId})
    INSERT INTO sender (account_id, sender_group_id, profile_id, template_id, subject)
    SELECT ${accountId}, ${senderGroupId}, profile.id, template.id, '件名' FROM profile, template`.execute(db);
}

/** The longest DNS result that a check stores. */
const FINDINGS = ['mx', 'spf', 'dkim', 'dmarc', 'alignment', 'one_click'].map((check) => ({
  check,
  level: 'bad',
  message: '見つかりません。',
  remedy: 'DNSに設定してください。',
  found: Array.from({ length: 10 }, () => 'v'.repeat(500)),
  record: null,
  at: 0,
}));

/** Adds yearly closing days that close a group for the next year except its last day, with many overlaps. */
async function addClosingDays(db: Db, { accountId }: Tenant): Promise<void> {
  const today = `2021${dayOf(Date.now()).slice(4)}`;
  const days = Array.from({ length: MAX_CLOSING_DAYS }, (_, n) => {
    const first = addDays(today, ((n % 4) * 364) / 4);
    return { first, last: addDays(first, CLOSING_DAYS_MAX - 2) };
  });
  await sql`
    INSERT INTO closing_day (account_id, first_day, last_day, name, yearly)
    SELECT ${accountId}, first, last, repeat('休', ${MAX_NAME_LENGTH}::integer), true
    FROM unnest(${days.map(({ first }) => first)}::date[], ${days.map(({ last }) => last)}::date[]) AS day (first, last)
    `.execute(db);
}

/** Adds pending reservations for all senders of the first group, on weekdays of two months. */
export async function addReservations(db: Db, { accountId, senderGroupId }: Tenant, count: number): Promise<void> {
  await sql`
    INSERT INTO reservation (account_id, sender_id, sender_group_id, send_at, test_send_mode)
    SELECT ${accountId}, sender.id, ${senderGroupId},
      (date_trunc('day', now() AT TIME ZONE 'Asia/Tokyo') + day * interval '1 day' + interval '10 hours')
        AT TIME ZONE 'Asia/Tokyo', false
    FROM generate_series(1, 60) AS day, sender
    WHERE sender.account_id = ${accountId} AND sender.sender_group_id = ${senderGroupId}
    ORDER BY sender.id, day LIMIT ${count}`.execute(db);
}

/** Adds runs of one profile at a mail a minute, so that their mails are queued for years. */
async function addRuns(db: Db, { accountId, senderId }: Tenant): Promise<void> {
  await addManyProspects(db, accountId, RUNS * MAILS_A_RUN);
  await sql`
    INSERT INTO sender_throttle (account_id, profile_id, chosen_per_minute)
    SELECT account_id, profile_id, 1 FROM sender WHERE account_id = ${accountId} AND id = ${senderId}
    ON CONFLICT (account_id, profile_id) DO UPDATE SET chosen_per_minute = 1`.execute(db);
  await sql`
    WITH run AS (
      INSERT INTO send_log (account_id, sender_group_id, sender_id, test_send_mode, days_from_lastday, mail, targets)
      SELECT account_id, sender_group_id, id, false, 7, '{}', ${MAILS_A_RUN}::integer
      FROM sender, generate_series(1, ${RUNS}::integer) WHERE account_id = ${accountId} AND id = ${senderId}
      RETURNING *
    ), numbered AS (SELECT *, row_number() OVER (ORDER BY id) - 1 AS place FROM run),
    company AS (
      SELECT *, (row_number() OVER (ORDER BY id) - 1) / ${MAILS_A_RUN}::integer AS place FROM prospect
      WHERE account_id = ${accountId}
    )
    INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, prospect_id, test_send_mode,
      row_index, mail_to, company_name, person_in_charge, message_id, mail_date, not_before, put_off)
    SELECT numbered.account_id, numbered.id, numbered.sender_group_id, numbered.sender_id, sender.profile_id,
      company.id, false, 0, company_email, company_name, '', '<' || gen_random_uuid() || '@example.com>', now(),
      now() + interval '1 day', 'hours'
    FROM numbered JOIN company ON company.place = numbered.place
    JOIN sender ON sender.account_id = numbered.account_id AND sender.id = numbered.sender_id`.execute(db);
}

/** Adds members and ended invitations of many groups, and divides the reservations among the members. */
async function addMembers(db: Db, { accountId, memberId }: Tenant): Promise<void> {
  await sql`
    INSERT INTO member (account_id, email, name, password_hash, role, active, last_login_at)
    SELECT ${accountId}, 'member' || n || '@example.jp', repeat('名', ${MAX_NAME_LENGTH}::integer), 'none', 'sales',
      n < ${MAX_TEAM}::integer, now()
    FROM generate_series(1, ${MAX_MEMBERS - 1}::integer) AS n`.execute(db);
  await sql`
    INSERT INTO member_group (account_id, member_id, sender_group_id)
    SELECT ${accountId}, member.id, sender_group.id FROM member, sender_group
    WHERE member.account_id = ${accountId} AND member.role = 'sales' AND member.active
      AND sender_group.account_id = ${accountId}`.execute(db);
  await sql`
    INSERT INTO invitation (account_id, email, role, sender_group_ids, invited_by, expires_at)
    SELECT ${accountId}, 'invited' || n || '@example.jp', 'sales',
      ARRAY(SELECT id FROM sender_group WHERE account_id = ${accountId}), ${memberId}, now() - interval '1 day'
    FROM generate_series(1, ${MAX_LISTED}::integer) AS n`.execute(db);
  await sql`
    UPDATE reservation SET member_id = (SELECT min(id) FROM member WHERE account_id = ${accountId}) + reservation.id % 200
    WHERE account_id = ${accountId}`.execute(db);
}

/** Makes the account. @returns its first group, whose sender can send */
export async function fillAccount(db: Db): Promise<Tenant> {
  const tenant = await addTenant(db);
  const { accountId, memberId } = tenant;
  await addGroups(db, tenant);
  await addSenders(db, tenant, MAX_SENDERS);
  await addClosingDays(db, tenant);
  await sql`
    INSERT INTO sender_limit (account_id, profile_id, per_day) SELECT account_id, id, 1000000 FROM sender_profile
    WHERE account_id = ${accountId}`.execute(db);
  await sql`
    INSERT INTO domain_check (account_id, domain, result, checked_at)
    SELECT ${accountId}, 'domain-' || n || '.example', ${JSON.stringify(FINDINGS)}::jsonb, now()
    FROM generate_series(2, ${MAX_SENDERS}::integer) AS n`.execute(db);
  await sql`
    INSERT INTO mail_template_folder (account_id, name) SELECT ${accountId}, 'フォルダー' || n
    FROM generate_series(1, ${MAX_TEMPLATE_FOLDERS}::integer) AS n`.execute(db);
  await sql`
    INSERT INTO mail_template (account_id, name, subject, text_body, html_body)
    SELECT ${accountId}, 'ひな形' || n, '件名', repeat('本文', 10000), repeat('<p>本文</p>', 5000)
    FROM generate_series(2, ${MAX_TEMPLATES}::integer) AS n`.execute(db);
  // Each change of the content is stored as a version.
  for (let n = 0; n < TEMPLATE_VERSIONS; n += 1) {
    await sql`UPDATE mail_template SET text_body = repeat('本文', 50000 - ${n}::integer), html_body = repeat('本', 100000)
      WHERE account_id = ${accountId} AND id = (SELECT min(id) FROM mail_template)`.execute(db);
  }
  // The longest condition that fits into the address of a list.
  const where = JSON.stringify({ address: Array.from({ length: 100 }, (_, n) => `都道府県${n}`).join(',') });
  await sql`
    INSERT INTO saved_condition (account_id, owner_id, name, name_key, where_info)
    SELECT ${accountId}, CASE WHEN n % 2 = 0 THEN ${memberId}::bigint END, '条件' || n, '条件' || n, ${where}::jsonb
    FROM generate_series(1, ${2 * MAX_SAVED_CONDITIONS}::integer) AS n`.execute(db);
  await sql`
    INSERT INTO suppression (account_id, kind, value, class, source, note)
    SELECT ${accountId}, 'address', 'stop' || n || '@example.com', 'refused', 'manual', repeat('注', 200)
    FROM generate_series(1, ${SUPPRESSIONS}::integer) AS n`.execute(db);
  await addRuns(db, tenant);
  await addReservations(db, tenant, 20_000);
  await addMembers(db, tenant);
  return tenant;
}

/** Makes an account with all groups, half of the senders, and no closing days yet. */
export async function halfFilledAccount(db: Db): Promise<Tenant> {
  const tenant = await addTenant(db);
  await addGroups(db, tenant);
  await addSenders(db, tenant, MAX_SENDERS / 2);
  await addReservations(db, tenant, 20_000);
  return tenant;
}
