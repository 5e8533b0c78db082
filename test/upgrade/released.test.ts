import { describe, expect, onTestFinished, test } from 'vitest';
import { CALLS } from '#contract/calls.ts';
import { firstAllowedDay } from '#domain/sending/picker-window.ts';
import { formatSecond, instantOf } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { leaveBy } from '#test/box-sinks.ts';
import { type Client, clientAt } from '#test/client.ts';
import type { TestDatabase } from '#test/db.ts';
import { makeInstallation } from '#test/installation.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { freePort, type Program } from '#test/program.ts';
import { attackList, reserveBy } from '#test/reservations.ts';
import { TEST_SECRET_KEY } from '#test/secrets.ts';
import { countStates, eventually, testSink } from '#test/sending.ts';
import { OLD_VERSIONS, oldVersion } from '../../scripts/old-versions.ts';
import { addressOf, addUser, sendOf, type User } from '../faults/load.ts';
import { dataDirOf } from '../faults/workers.ts';
import { LOOK_MS, replaceAll, scene } from './rolling.ts';
import { unpackThis, type Version, versionIn } from './versions.ts';

/** Migrates an empty database with an old version. */
async function install(before: Version) {
  const target = await makeInstallation();
  onTestFinished(target.drop);
  const more = { DATABASE_ROLE_PREFIX: target.prefix };
  await before.run(['migrate'], { DATABASE_URL: target.url, ...more });
  const { db, close } = openDatabase(target.adminUrl);
  onTestFinished(close);
  return { database: { url: target.url, db, login: db }, more };
}

/** Ids of an account's rows, by the first part of the paths that name one. */
type Ids = Readonly<Record<string, number>>;

/** Asks all calls that read, where an id is known. @returns the answers by the calls' paths */
async function readAll(client: Client, { senderGroupId, senderId }: User, ids: Ids) {
  const query = `sender_group_id=${senderGroupId}&sender_id=${senderId}&pagenate_num=1&pagenate_count=20`;
  const paths = Object.values(CALLS)
    .filter(([method, path]) => method === 'GET' && !path.includes('events'))
    .map(([, path]) => path);
  const answers = new Map<string, unknown>();
  for (const path of paths) {
    // The second id of a path is the number of a version.
    const asked = path.replace(/:\w+/, `${ids[path.split('/')[1] ?? '']}`).replace(/:\w+/, '1');
    // Which parameters a call takes differs; one of these forms is right.
    for (const tail of ['', `?sender_group_id=${senderGroupId}`, `?${query}`, `?${query}&days_from_lastday=7`]) {
      const { status, body } = await client.get(asked + tail);
      if (status === 200) answers.set(path, body);
    }
  }
  return answers;
}

/** Sends a mail, and reserves another, by an old version. @returns the ids of what the account has then */
async function fill(database: Pick<TestDatabase, 'db'>, client: Client, user: User): Promise<Ids> {
  const [mailed = 0, reserved = 0] = user.prospectIds;
  const order = { test_send_mode: 0, attack_list: attackList([mailed]) };
  expect(await client.post(`/mail/send/${user.senderId}`, order)).toMatchObject({ body: { accepted: 1 } });
  // Far from now, so that it stands still between the two readings.
  const send_at = formatSecond(instantOf(firstAllowedDay(Date.now() + 7 * DAY_MS), 9 * 60));
  const reservation = await reserveBy({ client, tenant: user }, [reserved], { send_at });
  await eventually(
    () => countStates(database.db),
    ({ sent }) => sent === 1,
  );
  const { accountId: account, senderGroupId: sending_rules, senderId: sender } = user;
  const newest = (table: 'send_log' | 'delivery' | 'mail_template' | 'sender_profile') =>
    database.db.selectFrom(table).select('id').where('account_id', '=', account).executeTakeFirstOrThrow();
  return {
    account,
    sending_rules,
    sender,
    legal_check: sender,
    prospect: mailed,
    reservation,
    send_log: (await newest('send_log')).id,
    delivery: (await newest('delivery')).id,
    mail_template: (await newest('mail_template')).id,
    sender_limit: (await newest('sender_profile')).id,
  };
}

/** Lists what differs, by its path; an item of an array counts by its place, and is named without it. */
function differences(before: unknown, after: unknown, at = ''): string[] {
  if (before === after) return [];
  const [old, now] = [before, after].map((value) => (typeof value === 'object' && value !== null ? value : null));
  if (!(old && now)) return [`${at} ${before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'}`];
  const isList = Array.isArray(old) && Array.isArray(now);
  const keys = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...keys].flatMap((key) =>
    differences(old[key as never], now[key as never], isList ? `${at}[]` : `${at}.${key}`),
  );
}

/** What this version answers more than 1.0.0, in an account of one member. The first two are of roles. */
const NEW_ON_THE_WIRE = [
  '/account/:id.member added',
  '/account_rule.current_address added',
  '/account_rule.export_needs_admin added',
  '/account_rule.login_networks added',
  '/account_rule.password_off added',
  '/account_rule.two_factor_required added',
  // null, here and below: the mail goes to the company's own address.
  '/attack_list/preview.rows[].person added',
  '/delivery/:id.person added',
  '/first_steps.is_empty added',
  '/legal_profile/list[].refusal_mailbox added',
  // Those of a person are among the others, by their place on the screen.
  '/mail_template/:id.merge_fields[] added',
  '/mail_template/:id.merge_fields[] changed',
  '/mail_template/samples[].html_body changed',
  '/notice_setting.kinds[] added',
  // Own fields, tags and people of a company, all empty.
  '/prospect/:id.custom added',
  '/prospect/:id.external_id added',
  '/prospect/:id.groups[].reservation_id added',
  '/prospect/:id.people added',
  '/prospect/:id.tags added',
  // A hash of the row, which has new columns; that of a profile too.
  '/prospect/:id.version changed',
  '/prospect/:id/timeline[].person added',
  // Whom a run or a reservation mails: company, as in 1.0.0.
  '/reservation/:id.send_to added',
  '/reservation/list[].is_held added',
  '/reservation/list[].send_to added',
  '/reservation/view.rows[].send_to added',
  // What a run waits for, and what became of it.
  '/send_log/:id.mailbox_until added',
  '/send_log/:id.mailbox_wait added',
  '/send_log/:id.put_off_by added',
  '/send_log/:id.replied_by_hand added',
  '/send_log/:id.send_to added',
  '/send_log/:id.undone added',
  '/send_log/:id/deliveries.rows[].person added',
  '/send_log/view.rows[].mailbox_until added',
  '/send_log/view.rows[].mailbox_wait added',
  '/send_log/view.rows[].put_off_by added',
  '/send_log/view.rows[].replied_by_hand added',
  '/send_log/view.rows[].send_to added',
  '/send_log/view.rows[].undone added',
  '/sender_profile/list[].mailbox_id added',
  '/sender_profile/list[].version changed',
  // The time of the reading.
  '/sending_rules/:sender_group_id.now.next_open_at changed',
];
/** What a5f114cc answers already. */
const NEW_IN_CLONE = ['/send_log/:id.put_off_by added', '/send_log/view.rows[].put_off_by added'];
/** Guards against a comparison of nothing. */
const LEAST_CALLS = 45;

describe.each(Object.entries(OLD_VERSIONS))('%s', (name, commit) => {
  test('its processes end beside this version within a minute, and lose or double no mail', async () => {
    const before = versionIn(oldVersion(commit));
    const installed = { ...(await unpackThis()), before, ...(await install(before)) };
    await replaceAll(await scene(installed), `${name} to this version`);
  });

  test('its workers end, whether they run or start, and send no mail of a mailbox that is chosen afterwards', async () => {
    const before = versionIn(oldVersion(commit));
    const { after } = await unpackThis();
    const { database, more } = await install(before);
    const user = await addUser(database, 4);
    const sink = await testSink();
    const port = await freePort();
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: dataDirOf(database.url),
      SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
      PORT: `${port}`,
      SECRET_KEY: TEST_SECRET_KEY,
      ...more,
    };
    const send = async (web: Program) => {
      await web.until('web started');
      const { path, ...request } = sendOf(user);
      const answer = await fetch(addressOf(port, path), { method: 'POST', ...request });
      expect([answer.status, await answer.json()]).toMatchObject([200, { accepted: 1 }]);
    };
    const [oldWeb, running] = [before.start(['web'], env), before.start(['worker'], env)];
    await running.until('worker started');
    await send(oldWeb);
    await eventually(
      () => countStates(database.db),
      ({ sent }) => sent === 1,
    );
    await after.run(['migrate'], env);
    expect(await Promise.all([running.ended, oldWeb.ended])).toStrictEqual([1, 1]);

    // Its server is in the own network, so that no worker reaches it.
    const box = { address: 'aya@haru.example', smtp_host: '127.0.0.1' };
    await leaveBy(database, user, await addTestMailbox(database.db, user.accountId, box), box.address);
    const web = after.start(['web'], env);
    for (let mails = 0; mails < 3; mails += 1) await send(web);
    const starting = before.start(['worker'], env);
    expect(await starting.ended).toBe(1);
    const worker = after.start(['worker'], env);
    await eventually(
      () => database.db.selectFrom('mailbox_state').select('why').executeTakeFirst(),
      (state) => state?.why === 'fault',
      LOOK_MS,
    );
    const states = await eventually(
      () => countStates(database.db),
      ({ queued }) => queued === 3,
    );
    expect(states).toStrictEqual({ sent: 1, queued: 3 });
    expect(sink.mails.map(({ from }) => from)).toStrictEqual(['sender@example.com']);
    for (const { child } of [web, worker]) child.kill('SIGTERM');
    expect(await Promise.all([web.ended, worker.ended])).toStrictEqual([0, 0]);
  });

  test('a client of an account with one member sees what is listed here, and nothing else', async () => {
    const before = versionIn(oldVersion(commit));
    const { after } = await unpackThis();
    const { database, more } = await install(before);
    const user = await addUser(database, 5);
    const sink = await testSink();
    const port = await freePort();
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: dataDirOf(database.url),
      SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
      PORT: `${port}`,
      ...more,
    };
    const client = clientAt(addressOf(port, ''), `Bearer ${user.token}`);
    const whileServed = async <Result>(version: Version, work: () => Promise<Result>): Promise<Result> => {
      const web = version.start(['web'], env);
      await web.until('web started');
      const result = await work();
      web.child.kill('SIGTERM');
      expect(await web.ended, web.output()).toBe(0);
      return result;
    };
    const { ids, old } = await whileServed(before, async () => {
      const worker = before.start(['worker'], env);
      const filled = await fill(database, client, user);
      worker.child.kill('SIGTERM');
      expect(await worker.ended, worker.output()).toBe(0);
      return { ids: filled, old: await readAll(client, user, filled) };
    });
    await after.run(['migrate'], env);
    const now = await whileServed(after, () => readAll(client, user, ids));
    expect(old.size).toBeGreaterThan(LEAST_CALLS);
    const seen = [...old].flatMap(([path, body]) => differences(body, now.get(path), path));
    const known = commit === OLD_VERSIONS['1.0.0'] ? [] : NEW_IN_CLONE;
    expect([...new Set(seen)].sort()).toStrictEqual(NEW_ON_THE_WIRE.filter((line) => !known.includes(line)));
  });
});
