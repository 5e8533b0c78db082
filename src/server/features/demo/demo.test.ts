import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { chooseUndo } from '#test/sending.ts';
import { setPassword } from '../account/account.command.ts';
import { DEMO_COLLEAGUES, DEMO_LOGIN, makeDemo, openDemoLogins } from './demo.command.ts';

test('sends of the demo can be undone for 10 s; a later start keeps what a member has chosen', async () => {
  const database = await emptyDatabase();
  const rules = () => database.db.selectFrom('account_rule').select('undo_seconds').execute();
  await makeDemo(database.service);
  expect(await rules()).toStrictEqual([{ undo_seconds: 10 }]);

  const { id } = await database.db.selectFrom('account').select('id').executeTakeFirstOrThrow();
  await chooseUndo(database.db, id, 60);
  await makeDemo(database.service);
  expect(await rules()).toStrictEqual([{ undo_seconds: 60 }]);
  // A start that ended before the demo was complete is completed by the next one.
  await database.db.deleteFrom('audit_event').where('kind', '=', 'demo_created').execute();
  await makeDemo(database.service);
  expect(await rules()).toStrictEqual([{ undo_seconds: 60 }]);
});

test('the demo has three members, each with the public password until it is changed', async () => {
  const database = await emptyDatabase();
  await makeDemo(database.service);
  const members = () =>
    database.db
      .selectFrom('member')
      .leftJoin('member_group', 'member_group.member_id', 'member.id')
      .leftJoin('sender_group', 'sender_group.id', 'member_group.sender_group_id')
      .select(['member.email', 'role', 'group_name'])
      .orderBy('member.id')
      .execute();
  const three = [
    { email: DEMO_LOGIN.email, role: 'admin', group_name: null },
    { email: 'demo-sales@example.com', role: 'sales', group_name: '首都圏営業部' },
    { email: 'demo-viewer@example.com', role: 'viewer', group_name: null },
  ];
  expect(await members()).toStrictEqual(three);

  // A start that ended between the members and the end of the demo adds nobody twice.
  await database.db.deleteFrom('audit_event').where('kind', '=', 'demo_created').execute();
  await makeDemo(database.service);
  expect(await members()).toStrictEqual(three);

  const emails = [DEMO_LOGIN, ...DEMO_COLLEAGUES].map(({ email }) => email);
  for (const [place, email] of emails.entries()) {
    const open = await openDemoLogins(database.service);
    expect(open.map((login) => login.email)).toStrictEqual(emails.slice(place));
    expect(await setPassword(database.db, email, 'kaitaku-no-hatake')).toBeNull();
  }
  expect(await openDemoLogins(database.service)).toStrictEqual([]);
});

test('some companies of the demo have people, tags and own fields, once', async () => {
  const database = await emptyDatabase();
  await makeDemo(database.service);
  const seen = async () => {
    const { rows } = await database.pool.query<Record<string, number>>(`
      SELECT (SELECT count(*)::int FROM prospect) AS companies, (SELECT count(*)::int FROM person) AS people,
        (SELECT count(*)::int FROM prospect WHERE person_email IS NOT NULL) AS primary_addresses,
        (SELECT count(*)::int FROM prospect_own WHERE label_set_id IS NOT NULL) AS labelled,
        (SELECT count(*)::int FROM custom_field) AS fields,
        (SELECT count(*)::int FROM label WHERE field_id IS NULL) AS tags`);
    return rows[0];
  };
  const there = { companies: 1000, people: 9, primary_addresses: 6, labelled: 7, fields: 3, tags: 3 };
  expect(await seen()).toStrictEqual(there);

  // A start that ended before the demo was complete is completed by the next one.
  await database.db.deleteFrom('audit_event').where('kind', '=', 'demo_created').execute();
  await makeDemo(database.service);
  expect(await seen()).toStrictEqual(there);
});
