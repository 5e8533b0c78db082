import { expect, test } from 'vitest';
import { testDatabase } from '#test/db.ts';
import { TEMPLATE_ID } from '#test/mails.ts';
import { startProgram } from '#test/program.ts';
import { addTenant } from '#test/prospects.ts';

// Each command is a process.
test('a template is told which of SendGrid makes its mails, and only an account its own', async () => {
  const database = await testDatabase();
  const tenant = await addTenant(database.db);
  const stranger = await addTenant(database.db);
  const rows = () =>
    database.db
      .selectFrom('mail_template')
      .select(['id', 'account_id', 'sendgrid_template_id'])
      .orderBy('id')
      .execute();
  const [own, foreign] = await rows();
  const { email } = await database.db
    .selectFrom('account')
    .select('email')
    .where('id', '=', tenant.accountId)
    .executeTakeFirstOrThrow();

  const run = async (...args: string[]) => {
    const program = startProgram(['template', ...args], { DATABASE_URL: database.url });
    return { code: await program.ended, output: program.output() };
  };
  const set = (id: number | undefined, sendGridId: string) =>
    run('set-sendgrid', String(id), sendGridId, '--account', email.toUpperCase());

  expect(await run('list', '--account', email)).toStrictEqual({ code: 0, output: `${own?.id}  -  ひな形\n` });
  expect(await set(own?.id, TEMPLATE_ID)).toStrictEqual({ code: 0, output: `${own?.id}  ${TEMPLATE_ID}  ひな形\n` });
  expect(await set(own?.id, 'd-123')).toMatchObject({ code: 1, output: expect.stringContaining('32桁') });
  expect(await set(foreign?.id, TEMPLATE_ID)).toMatchObject({ code: 1, output: expect.stringContaining('ありません') });
  expect(await rows()).toStrictEqual([
    { id: own?.id, account_id: tenant.accountId, sendgrid_template_id: TEMPLATE_ID },
    { id: foreign?.id, account_id: stranger.accountId, sendgrid_template_id: null },
  ]);
  expect(await set(own?.id, 'none')).toStrictEqual({ code: 0, output: `${own?.id}  -  ひな形\n` });
  expect(await run('list', '--account', 'nobody@example.com')).toMatchObject({ code: 1 });
}, 120_000);
