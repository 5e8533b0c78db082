import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { MAX_MAILBOXES, MAX_SENDERS } from '#domain/limits.ts';
import { addMember } from '#test/accounts.ts';
import { clientOf } from '#test/client.ts';
import { emptyDatabase } from '#test/db.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { addTenant } from '#test/prospects.ts';

test(`${MAX_MAILBOXES} mailboxes of one member, with ${MAX_SENDERS} senders: each call is answered`, async () => {
  const database = await emptyDatabase();
  const { db } = database;
  const tenant = await addTenant(db);
  const { accountId: account_id } = tenant;
  const owner_id = await addMember(db, account_id, { role: 'sales', name: '鈴木 彩' });
  const first = await addTestMailbox(db, account_id, { owner_id, per_day: 500, address: 'a0@haru.example' });
  await sql`
    INSERT INTO mailbox (account_id, kind, name, address, owner_id, smtp_host, smtp_port, security, username,
      per_minute, per_day, state, other_from)
    SELECT ${account_id}, 'smtp', '箱 ' || n, 'a' || n || '@haru.example', ${owner_id}, 'smtp.haru.example', 587,
      'starttls', 'u', 20, 500, 'ok', ARRAY(SELECT 'b' || n || '.' || m || '@haru.example' FROM generate_series(1, 20) m)
    FROM generate_series(1, ${MAX_MAILBOXES - 1}::integer) n`.execute(db);
  await sql`
    INSERT INTO mailbox_state (account_id, mailbox_id)
    SELECT account_id, id FROM mailbox WHERE id <> ${first}`.execute(db);
  // Each sender is a person of its own: half of them of one mailbox, the rest spread over all.
  await sql`
    WITH box AS (
      SELECT array_agg(id ORDER BY id) AS ids FROM mailbox WHERE account_id = ${account_id}
    ), profile AS (
      INSERT INTO sender_profile (account_id, sender_group_id, person_in_charge, email, member_id, mailbox_id)
      SELECT ${account_id}, ${tenant.senderGroupId}, '人 ' || n, 'a0@haru.example', ${tenant.memberId},
        CASE WHEN n % 2 = 0 THEN ${first} ELSE ids[n % ${MAX_MAILBOXES} + 1] END
      FROM generate_series(2, ${MAX_SENDERS}::integer) n, box
      RETURNING id
    )
    INSERT INTO sender (account_id, sender_group_id, profile_id, template_id, member_id)
    SELECT ${account_id}, ${tenant.senderGroupId}, profile.id, s.template_id, ${tenant.memberId}
    FROM profile, sender s WHERE s.id = ${tenant.senderId}`.execute(db);
  const client = await clientOf(database, account_id);
  const rows = (await client.get('/mailbox/list')).body as { id: number; senders: object[]; used_today: number }[];
  expect(rows).toHaveLength(MAX_MAILBOXES);
  expect(rows[0]?.senders.length).toBeGreaterThan(MAX_SENDERS / 3);
  const add_info = { kind: 'smtp', name: '新しい箱', address: 'new@haru.example', smtp_host: 'smtp.haru.example' };
  expect(await client.post('/mailbox', { add_info })).toMatchObject({ status: 409 });
  const put = (update_info: object, version: number, more: object = {}) =>
    client.put(`/mailbox/${first}`, { version, update_info, ...more });
  expect(await put({ name: '新しい名前' }, 1)).toMatchObject({ status: 200 });
  expect(await client.post(`/mailbox/${first}/check`, {})).toMatchObject({ status: 200 });
  const profiles = (await client.get('/sender_profile/list')).body as { id: number; version: string }[];
  expect(profiles).toHaveLength(1000);
  const { id, version } = profiles.at(-1) ?? { id: 0, version: '' };
  expect(await client.put(`/sender_profile/${id}`, { version, update_info: { mailbox_id: null } })).toMatchObject({
    status: 200,
  });
  expect(await put({ active: 0 }, 2)).toMatchObject({ status: 200 });
  const members = (await client.get('/member/list')).body as { id: number; version: string }[];
  const owner = members.find((member) => member.id === owner_id);
  const stop = { version: owner?.version, update_info: { active: 0 } };
  expect(await client.put(`/member/${owner_id}`, stop)).toMatchObject({ status: 200 });
  const { rows: on } = await sql`SELECT FROM mailbox WHERE state <> 'off'`.execute(db);
  expect(on).toHaveLength(0);
});
