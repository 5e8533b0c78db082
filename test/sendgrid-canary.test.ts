import { expect, test } from 'vitest';
import { startDeliveryWorker } from '#server/features/delivery/delivery-worker.ts';
import {
  sendGridTemplates,
  sendGridTransport,
} from '#server/features/delivery/transports/sendgrid/sendgrid-transport.ts';
import { createLog } from '#server/platform/log.ts';
import { sendGridSystemMailer } from '#server/platform/mail/system-mail.ts';
import { serveApp } from './client.ts';
import { emptyDatabase } from './db.ts';
import { giveSendGridTemplates } from './mails.ts';
import { addTenant } from './prospects.ts';
import { eventOf, type FakeSendGrid, testSendGrid } from './sendgrid.ts';
import { acceptRun, eventually, untilSettled } from './sending.ts';

/** No log line and no answer may contain a key or an address, whatever fails at SendGrid or SendGrid repeats. */
test('the keys of SendGrid are in no log line, no answer and no row', async () => {
  const database = await emptyDatabase();
  const tenant = await addTenant(database.db);
  await giveSendGridTemplates(database.db);
  const fake = await testSendGrid();
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const options = { logger: log, eventKeys: [fake.publicKey] };
  const { address } = await serveApp({ ...database, transport: sendGridTemplates }, Date.now, options);

  const work = async (settings: Pick<FakeSendGrid, 'url' | 'apiKey'>, done: () => Promise<unknown>) => {
    const parts = { db: database.service.db, now: Date.now, connections: 1, log };
    const worker = startDeliveryWorker({ ...parts, transport: sendGridTransport(settings) });
    await done();
    await worker.stop();
  };
  /** Ends the pauses that faults caused, for one mail or for all. */
  const waitNoLonger = async () => {
    await database.db
      .updateTable('delivery')
      .set({ not_before: new Date(0) })
      .execute();
    await database.db.updateTable('transport').set({ faults: 0, pauses: 0, paused_until: null }).execute();
  };
  const faults = [
    {
      status: 400,
      errors: [{ message: `Bearer ${fake.apiKey} may not write to info0@a.example`, field: 'template_id' }],
    },
    { status: 500, errors: [{ message: fake.apiKey, field: null }] },
    'close' as const,
  ];
  for (const fault of faults) {
    fake.fault = () => fault;
    const before = lines.length;
    await acceptRun(database, tenant, 1, { transport: sendGridTemplates, test: true });
    await work(fake, () =>
      eventually(
        () => lines.length,
        (count) => count > before,
      ),
    );
    await waitNoLonger();
  }
  fake.fault = () => null;
  const before = lines.length;
  // A revoked key.
  await acceptRun(database, tenant, 1, { transport: sendGridTemplates, test: true });
  await work({ url: fake.url, apiKey: 'SG.revoked.canary' }, () =>
    eventually(
      () => lines.length,
      (count) => count > before,
    ),
  );
  await waitNoLonger();
  await work(fake, () => untilSettled(database.db));
  const mailer = sendGridSystemMailer(
    { url: fake.url, apiKey: 'SG.revoked.canary' },
    { from: async () => ({ name: 'Kaitaku', address: 'no-reply@example.com' }), log },
  );
  await mailer({ to: 'hanako@example.com', subject: '確認', text: 'x', html: 'x', reader: 'anybody' });

  const answers: string[] = [];
  const mail = fake.mails[0] ?? expect.unreachable();
  const signed = fake.signed([eventOf(mail, 'bounce', { type: 'bounce', reason: 'no such user info0@a.example' })]);
  for (const body of [signed.body, `${signed.body} `]) {
    const response = await fetch(`${address}/sendgrid/events`, { method: 'POST', headers: signed.headers, body });
    answers.push(`${response.status} ${await response.text()}`);
  }
  expect(answers.map((answer) => answer.slice(0, 3))).toStrictEqual(['200', '401']);

  const { rows } = await database.pool.query(`SELECT row_to_json(d)::text AS told FROM delivery d
    UNION ALL SELECT row_to_json(t)::text FROM transport t UNION ALL SELECT row_to_json(l)::text FROM send_log l`);
  const everywhere = [...lines, ...answers, ...rows.map(({ told }: { told: string }) => told)].join('\n');
  // The expected lines are present, so that an empty log cannot pass.
  expect(everywhere).toContain('Bearer *** may not write');
  expect(everywhere).toContain('authorization grant');
  expect(lines.filter((line) => line.includes('mail not sent')).length).toBeGreaterThanOrEqual(4);
  for (const secret of [
    fake.apiKey,
    'SG.revoked',
    fake.verificationKey,
    signed.headers['x-twilio-email-event-webhook-signature'],
  ]) {
    expect(everywhere).not.toContain(secret);
  }
  expect([...lines, ...answers].join('\n')).not.toMatch(/info0@|hanako@|test\+0@/);
});
