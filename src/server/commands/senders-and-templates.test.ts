import { beforeEach, expect, test } from 'vitest';
import { emailOf } from '#test/accounts.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEMPLATE_ID } from '#test/mails.ts';
import { addSender, addTenant, addTextOf, type Tenant } from '#test/prospects.ts';
import { runCommand } from '#test/run-command.ts';
import { acceptRun, claimBatch, markSending, WORKER_A, WORKER_B } from '#test/sending.ts';

let database: TestDatabase;
let tenant: Tenant;
let stranger: Tenant;
let email: string;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  stranger = await addTenant(database.db);
  email = await emailOf(database.db, tenant.accountId);
});

/** Runs a command. @returns its exit code and all that it printed */
async function run(...args: (string | number)[]) {
  const { code, out, err } = await runCommand(args.map(String), { DATABASE_URL: database.url });
  return { code, output: out + err };
}

test('only an account sets the SendGrid template of its own templates', async () => {
  const rows = () =>
    database.db
      .selectFrom('mail_template')
      .select(['id', 'account_id', 'sendgrid_template_id'])
      .orderBy('id')
      .execute();
  const [own, foreign] = await rows();
  const set = (id: number | undefined, sendGridId: string) =>
    run('template', 'set-sendgrid', String(id), sendGridId, '--account', email.toUpperCase());

  const listed = await run('template', 'list', '--account', email);
  expect(listed).toStrictEqual({ code: 0, output: `${own?.id}  -  ひな形\n` });
  expect(await set(own?.id, TEMPLATE_ID)).toStrictEqual({ code: 0, output: `${own?.id}  ${TEMPLATE_ID}  ひな形\n` });
  expect(await set(own?.id, 'd-123')).toMatchObject({ code: 1, output: expect.stringContaining('32桁') });
  expect(await set(foreign?.id, TEMPLATE_ID)).toMatchObject({ code: 1, output: expect.stringContaining('ありません') });
  expect(await rows()).toStrictEqual([
    { id: own?.id, account_id: tenant.accountId, sendgrid_template_id: TEMPLATE_ID },
    { id: foreign?.id, account_id: stranger.accountId, sendgrid_template_id: null },
  ]);
  expect(await set(own?.id, 'none')).toStrictEqual({ code: 0, output: `${own?.id}  -  ひな形\n` });
  expect(await run('template', 'list', '--account', 'nobody@example.com')).toMatchObject({ code: 1 });
});

const setPace = (...args: (string | number)[]) => run('sender', 'set-pace', ...args, '--account', email);
const limits = () =>
  database.db.selectFrom('sender_throttle').select(['mails_per_minute', 'max_connections']).execute();

test('the pace and the connections of a sender are set, one alone or both, before its first run and after', async () => {
  const { senderId: sender_id } = tenant;
  const listed = await run('sender', 'list', '--account', email);
  expect(listed.output).toMatch(new RegExp(`^${sender_id}  上限なし  初期値  \\S+@\\S+  .+\n$`));
  expect((await setPace(sender_id, '--per-minute', '30')).output).toContain(`${sender_id}  毎分30通  20接続`);
  expect(await limits()).toStrictEqual([{ mails_per_minute: 30, max_connections: 20 }]);
  expect((await setPace(sender_id, '--connections', '3')).code).toBe(0);
  expect(await limits()).toStrictEqual([{ mails_per_minute: 30, max_connections: 3 }]);
  await acceptRun(database, tenant, 1);
  expect((await setPace(sender_id, '--per-minute', 'none', '--connections', '200')).code).toBe(0);
  expect(await limits()).toStrictEqual([{ mails_per_minute: null, max_connections: 200 }]);
});

test('a pace is that of all senders of one person, and the others are named', async () => {
  const [second, third] = [await addTextOf(database.db, tenant), await addTextOf(database.db, tenant)];
  const alone = await addSender(database.db, tenant);
  const { output } = await setPace(second.senderId, '--per-minute', '30');
  const lines = [tenant.senderId, second.senderId, third.senderId].map((id) => `${id}  毎分30通  20接続`);
  expect(output.replaceAll(/(?<=接続|初期値) {2}.*$/gm, '')).toBe(
    [
      ...lines,
      `${alone}  上限なし  初期値`,
      `番号 ${tenant.senderId}、${third.senderId} の送信者も差出人が同じなので、上限は共通です。\n`,
    ].join('\n'),
  );
});

test("an account cannot set the pace of another account's senders", async () => {
  expect(await setPace(stranger.senderId, '--connections', '3')).toStrictEqual({
    code: 1,
    output: `番号 ${stranger.senderId} の送信者はありません。sender list で番号を確認してください。\n`,
  });
  expect(await limits()).toStrictEqual([]);
});

test.each([
  ['--per-minute', '0'],
  ['--per-minute', '=-1'],
  ['--per-minute', '1000000000'],
  ['--per-minute', '60001'],
  ['--per-minute', '0.5'],
  ['--per-minute', '６０'],
  ['--per-minute', ''],
  ['--connections', '0'],
  ['--connections', '201'],
  ['--connections', '10000'],
  ['--connections', 'none'],
])('bad-inputs 137, 138: %s %s is refused by its name, with what it may be', async (option, value) => {
  const args = value.startsWith('=') ? [option + value] : [option, value];
  const { code, output } = await setPace(tenant.senderId, ...args);
  expect({ code, output }).toStrictEqual({ code: 2, output: expect.stringContaining(`${option} は 1〜`) });
  expect(await limits()).toStrictEqual([]);
});

test.each([['1'], ['x', '--connections', '3'], ['1', '2', '--connections', '3']])(
  'set-pace %s %s %s: how it is used',
  async (...args) => {
    const { code, output } = await setPace(...args.filter(Boolean));
    expect({ code, output }).toStrictEqual({ code: 2, output: expect.stringContaining('使い方') });
  },
);

test('a new pace takes effect at once: claimed mails without a mark are requeued', async () => {
  await acceptRun(database, tenant, 50);
  const claim = (workerId: string) => claimBatch(database, { workerId, connections: 10 });
  const [begun, ...waiting] = (await claim(WORKER_A))?.claims ?? [];
  if (!begun) throw new Error('nothing was claimed');
  expect(waiting).toHaveLength(49);
  expect(await markSending(database.service.db, [begun])).toStrictEqual([true]);

  expect((await setPace(tenant.senderId, '--per-minute', '60', '--connections', '4')).code).toBe(0);
  expect(await markSending(database.service.db, waiting)).toStrictEqual(waiting.map(() => false));
  expect(await claim(WORKER_A)).toMatchObject({ connections: 4, claims: [{ claimNo: 2 }] });
  expect(await claim(WORKER_B)).toBeNull();
});
