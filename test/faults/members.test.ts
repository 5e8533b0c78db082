import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { hashOf, newSecret } from '#server/features/auth/secret.ts';
import { openSession } from '#server/features/auth/session.ts';
import { type Answer, clientAt } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { acceptRun, eventually } from '#test/sending.ts';
import { form } from './form.ts';
import { accountRow, addTeam, changeOf, inOrder, listed, memberAt, outcome, startWebs, type Team } from './team.ts';

/** Two `web` processes serve one account: its rows decide, not what a process remembers. */

let database: TestDatabase;
let webs: readonly [string, string];

beforeEach(async () => {
  database = await emptyDatabase();
  webs = await startWebs(database);
});

/** Every third round leaves it to the processes which call is first. */
const isOpen = (n: number): boolean => n % 3 === 2;
const race = (n: number, team: Team, calls: readonly (() => Promise<Answer>)[]): Promise<Answer[]> =>
  isOpen(n) ? Promise.all(calls.map((call) => call())) : inOrder(database, accountRow(team), calls);

async function adminsOf({ accountId }: Team): Promise<number> {
  const rows = await database.db
    .selectFrom('member')
    .select('id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'admin')
    .where('active', '=', true)
    .execute();
  return rows.length;
}

const LOWER = { role: 'sales' };
const STOP = { active: 0 };

/** What the last two admins do to each other, and the refusal of the later one. */
const FIGHTS = [
  [LOWER, LOWER, '403 not_allowed'],
  [STOP, STOP, '401 unauthorized'],
  [LOWER, STOP, '403 not_allowed'],
  [STOP, LOWER, '401 unauthorized'],
] as const;

test(`${form.teams} × the last two admins lower or stop each other: the later one is refused, and one stays`, async () => {
  for (let n = 0; n < form.teams * FIGHTS.length; n += 1) {
    const [first, second, refusal] = FIGHTS[n % FIGHTS.length] ?? expect.unreachable();
    const team = await addTeam(database, 'admin');
    const [one, other] = [
      await memberAt(database, webs[0], team, team.memberId),
      await memberAt(database, webs[1], team, team.leaverId),
    ];
    const answers = await race(n, team, [
      await changeOf(one, team.leaverId, first),
      await changeOf(other, team.memberId, second),
    ]);
    const seen = answers.map(outcome);
    if (isOpen(n)) expect(seen.filter((each) => each === 'done')).toHaveLength(1);
    else expect(seen).toStrictEqual(['done', refusal]);
    expect(await adminsOf(team)).toBe(1);
  }
});

test(`${form.teams} × the last two admins lower themselves: the later one is the last`, async () => {
  for (let n = 0; n < form.teams; n += 1) {
    const team = await addTeam(database, 'admin');
    const calls = await Promise.all(
      [team.memberId, team.leaverId].map(async (id, at) =>
        changeOf(await memberAt(database, webs[at] ?? '', team, id), id, LOWER),
      ),
    );
    expect((await race(n, team, calls)).map(outcome).toSorted()).toStrictEqual(['409 last_admin', 'done']);
    expect(await adminsOf(team)).toBe(1);
  }
});

/** Invites an address in the name of the team's second admin. @returns the mailed key */
async function addInvitation({ accountId, leaverId }: Team, email: string): Promise<string> {
  const key = newSecret();
  await database.db
    .insertInto('invitation')
    .values({
      account_id: accountId,
      email,
      role: 'sales',
      invited_by: leaverId,
      secret_hash: hashOf(key),
      expires_at: new Date(Date.now() + 86_400_000),
    })
    .execute();
  return key;
}

let visitors = 0;

/** Accepts an invitation as a new visitor: each may ask 60 times a minute. */
const accept = (at: number, key: string) => () => {
  visitors += 1;
  const body = { key, name: '佐藤 花子', new_password: '次の馬 電池 ホチキス 橋' };
  return clientAt(webs[at] ?? '', '').post('/invitation/accept', body, {
    'x-forwarded-for': `10.0.0.${visitors % 250}`,
  });
};

const membersWith = async (email: string): Promise<number> =>
  (await database.db.selectFrom('member').select('id').where('email', '=', email).execute()).length;

test(`${form.teams} × one invitation accepted by two processes at once, or two to one address: one member`, async () => {
  for (let n = 0; n < form.teams; n += 1) {
    const team = await addTeam(database, 'admin');
    const key = await addInvitation(team, `once${n}@a.example`);
    const answers = await race(n, team, [accept(0, key), accept(1, key)]);
    expect(answers.map(outcome).toSorted()).toStrictEqual(['400 invalid_key', 'done']);
    expect(await membersWith(`once${n}@a.example`)).toBe(1);
  }
  for (let n = 0; n < form.teams; n += 1) {
    const email = `both${n}@a.example`;
    const accounts = [await addTeam(database, 'admin'), await addTeam(database, 'admin')];
    const keys = await Promise.all(accounts.map((team) => addInvitation(team, email)));
    const answers = await Promise.all(keys.map((key, at) => accept(at, key)()));
    expect(answers.map(outcome).toSorted()).toStrictEqual(['409 address_in_use', 'done']);
    expect(await membersWith(email)).toBe(1);
  }
});

test(`${form.teams} × an invitation is accepted while who invited is stopped: no member comes by it after the stop`, async () => {
  for (let n = 0; n < form.teams; n += 1) {
    const team = await addTeam(database, 'admin');
    const email = `late${n}@a.example`;
    const calls = [
      await changeOf(await memberAt(database, webs[0], team, team.memberId), team.leaverId, STOP),
      accept(1, await addInvitation(team, email)),
    ];
    const isStoppedFirst = n % 2 === 0;
    const answers = await inOrder(database, accountRow(team), isStoppedFirst ? calls : calls.toReversed());
    expect(answers.map(outcome)).toStrictEqual(isStoppedFirst ? ['done', '400 invalid_key'] : ['done', 'done']);
    expect(await membersWith(email)).toBe(isStoppedFirst ? 0 : 1);
  }
});

const company = (n: number) => ({ add_info: { company_name: `株式会社${n}` } });

test('a lowered role, and a stop, hold at the next request of each process', async () => {
  const team = await addTeam(database);
  const admin = await memberAt(database, webs[0], team, team.memberId);
  const leavers = await Promise.all(webs.map((address) => memberAt(database, address, team, team.leaverId)));
  const ask = async (n: number) =>
    (await Promise.all(leavers.map((leaver, at) => leaver.post('/prospect', company(2 * n + at))))).map(outcome);
  expect(await ask(0)).toStrictEqual(['done', 'done']);
  expect(outcome(await (await changeOf(admin, team.leaverId, { role: 'viewer' }))())).toBe('done');
  expect(await ask(1)).toStrictEqual(['403 not_allowed', '403 not_allowed']);
  expect(await listed(admin, team.leaverId)).toMatchObject({ role: 'viewer', active: 1 });
  const stopped = await (await changeOf(admin, team.leaverId, STOP))();
  expect(stopped.body).toMatchObject({ sessions_ended: 2 });
  expect(await ask(2)).toStrictEqual(['401 unauthorized', '401 unauthorized']);
});

/** Opens a stream of a member. Its text grows until it ends. */
async function listen(path: string, { accountId }: Team, memberId: number) {
  const token = await openSession(database.login, { accountId, memberId }, Date.now());
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${webs[1]}${path}`, { headers, signal: leaving.signal });
  expect(response.status).toBe(200);
  const stream = { text: '', hasEnded: false };
  void (async () => {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) stream.text += part;
    stream.hasEnded = true;
  })().catch(() => 'left');
  await eventually(() => stream.text, Boolean);
  return stream;
}

test('the streams of a stopped member end in another process too, and get no event of a run', async () => {
  const team = await addTeam(database);
  const admin = await memberAt(database, webs[0], team, team.memberId);
  const { id: jobId } = await database.db
    .insertInto('job')
    .values({ account_id: team.accountId, kind: 'export', input: '{}' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const quiet = await addTeam(database);
  const streams = [
    await listen('/send_log/events', team, team.leaverId),
    await listen('/send_log/events', quiet, quiet.leaverId),
    await listen(`/job/${jobId}/events`, team, team.leaverId),
  ];
  const colleague = await listen('/send_log/events', team, team.memberId);
  await Promise.all([
    (await changeOf(admin, team.leaverId, STOP))(),
    (await changeOf(await memberAt(database, webs[0], quiet, quiet.memberId), quiet.leaverId, STOP))(),
  ]);
  await acceptRun(database, team, 1);
  await eventually(() => streams.every(({ hasEnded }) => hasEnded), Boolean, 60_000);
  expect(streams.map(({ text }) => text.includes('event: run'))).toStrictEqual([false, false, false]);
  expect(colleague.text).toContain('event: run');
  expect(colleague.hasEnded).toBe(false);
});
