import { describe, expect, onTestFinished, test } from 'vitest';
import { CALLS } from '#contract/calls.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { type Client, clientAt } from '#test/client.ts';
import { makeInstallation } from '#test/installation.ts';
import { freePort } from '#test/program.ts';
import { testSink } from '#test/sending.ts';
import { OLD_VERSIONS, oldVersion } from '../../scripts/old-versions.ts';
import { addressOf, addUser, type User } from '../faults/load.ts';
import { replaceAll, scene } from './rolling.ts';
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

/** Asks all calls that read without an id of a row, and the account itself. @returns the answers by path */
async function readAll(client: Client, { accountId, senderGroupId, senderId }: User) {
  const query = `sender_group_id=${senderGroupId}&sender_id=${senderId}&pagenate_num=1&pagenate_count=20`;
  const paths = Object.values(CALLS)
    .filter(([method, path]) => method === 'GET' && !/[:]|events/.test(path))
    .map(([, path]) => path);
  const answers = new Map<string, unknown>();
  for (const path of [...paths, `/account/${accountId}`]) {
    // Which parameters a call takes differs; one of these forms is right.
    for (const tail of ['', `?sender_group_id=${senderGroupId}`, `?${query}`, `?${query}&days_from_lastday=7`]) {
      const { status, body } = await client.get(path + tail);
      if (status === 200) answers.set(path.replace(`${accountId}`, ':id'), body);
    }
  }
  return answers;
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
  '/first_steps.is_empty added',
  '/mail_template/samples[].html_body changed',
  '/notice_setting.kinds[] added',
];
/** Guards against a comparison of nothing. */
const LEAST_CALLS = 25;

/** An old program may close a connection as a request comes in. Such a request was not begun: no mail is missing. */
const isOther = (fault: unknown): boolean =>
  ((fault as Error).cause as { code?: string } | undefined)?.code !== 'UND_ERR_SOCKET';

describe.each(Object.entries(OLD_VERSIONS))('%s', (name, commit) => {
  test('its processes end beside this version within a minute, and lose or double no mail', async () => {
    const before = versionIn(oldVersion(commit));
    const installed = { ...(await unpackThis()), before, ...(await install(before)) };
    await replaceAll(await scene(installed), `${name} to this version`, isOther);
  });

  test('a client of an account with one member sees what is listed here, and nothing else', async () => {
    const before = versionIn(oldVersion(commit));
    const { after } = await unpackThis();
    const { database, more } = await install(before);
    const user = await addUser(database, 5);
    const sink = await testSink();
    const port = await freePort();
    const env = { DATABASE_URL: database.url, SMTP_URL: `smtp://127.0.0.1:${sink.port}`, PORT: `${port}`, ...more };
    const read = async (version: Version) => {
      const web = version.start(['web'], env);
      await web.until('web started');
      const answers = await readAll(clientAt(addressOf(port, ''), `Bearer ${user.token}`), user);
      web.child.kill('SIGTERM');
      expect(await web.ended, web.output()).toBe(0);
      return answers;
    };
    const old = await read(before);
    await after.run(['migrate'], env);
    const now = await read(after);
    expect(old.size).toBeGreaterThan(LEAST_CALLS);
    const seen = [...old].flatMap(([path, body]) => differences(body, now.get(path), path));
    expect([...new Set(seen)].sort()).toStrictEqual(NEW_ON_THE_WIRE);
  });
});
