import pino from 'pino';
import { expect, test, vi } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { acceptRun, countStates, eventually, workerBy } from '#test/sending.ts';
import { readTransport } from '#test/transport-pause.ts';
import { NO_MAIL_SERVER } from './no-mail-server.ts';

test('a mail that was accepted while there was a mail server waits without one, and costs no attempt', async () => {
  const database = await emptyDatabase();
  await acceptRun(database, await addTenant(database.db), 1);
  workerBy(database, NO_MAIL_SERVER);
  await eventually(
    () => readTransport(database),
    ({ faults }) => faults > 0,
  );
  expect(await countStates(database.db)).toStrictEqual({ queued: 1 });
  const mails = await database.db.selectFrom('delivery').select('attempts').execute();
  expect(mails).toStrictEqual([{ attempts: 0 }]);
});

test("the program's own mails are not sent, and logged", async () => {
  const warn = vi.fn();
  const log = Object.assign(pino({ enabled: false }), { warn });
  const mailer = NO_MAIL_SERVER.systemMailer({ from: async () => null, log });
  const mail = { to: 'you@example.co.jp' } as Parameters<typeof mailer>[0];
  expect(await mailer(mail)).toMatchObject({ kind: 'transport' });
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ to: 'you@example.co.jp' }), 'system mail not sent');
});
