import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { CallAnswer } from '#contract/call.ts';
import type { sendMail } from '#contract/sending/runs.ts';
import { startDeliveryWorker } from '#server/features/delivery/delivery-worker.ts';
import { smtpTransport } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import { startReservationScheduler } from '#server/features/reservations/reservation-scheduler.ts';
import { clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { openAs } from '#test/open-as.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addSender, addTenant, type Tenant } from '#test/prospects.ts';
import { eventually, testSink, untilSettled } from '#test/sending.ts';
import { TEST_MAILING } from '../mailing.ts';
import { judge } from './truth.ts';

type SendAnswer = CallAnswer<typeof sendMail>;

const log = pino({ level: 'silent' });
const WORKERS = 8;
const SCHEDULERS = 5;
const COMPANIES = 100;
const RESERVED = 40;

/** Opens a pool like that of each process. */
function pool({ url }: TestDatabase) {
  const opened = openAs('service', url, 3);
  onTestFinished(() => opened.close());
  return opened.db;
}

async function fourReservations(database: TestDatabase, tenant: Tenant, ids: readonly number[]): Promise<void> {
  for (let n = 0; n < 4; n += 1) {
    const other = { ...tenant, senderId: await addSender(database.db, tenant) };
    await addReservation(database.db, other, ids.slice(n * 10, n * 10 + 10), { sendAt: new Date(Date.now() - 1000) });
  }
}

test(`${WORKERS} workers, ${SCHEDULERS} schedulers, 20 double clicks and two tabs at once: one mail per company`, async () => {
  const database = await emptyDatabase();
  const sink = await testSink();
  const tenant = await addTenant(database.db);
  const companies = Array.from({ length: COMPANIES }, (_, n) => ({ company_email: `info${n}@a.example` }));
  const ids = await addProspects(database.db, tenant.accountId, companies);
  await fourReservations(database, tenant, ids.slice(0, RESERVED));
  const client = await clientOf(database, tenant.accountId);
  // Retries like a client while the server is busy: on a loaded machine the last of 40 waits too long for a connection.
  const send = (key: string, prospectIds: readonly number[]) =>
    eventually(
      () =>
        client.post(
          `/mail/send/${tenant.senderId}`,
          { test_send_mode: 0, attack_list: prospectIds.map((prospect_id) => ({ prospect_id })), days_from_lastday: 7 },
          { 'idempotency-key': key },
        ),
      ({ status }) => status !== 503,
      60_000,
    );

  const address = { host: '127.0.0.1', port: sink.port };
  const transport = smtpTransport({ ...address, secure: false, requireTls: false, credentials: null });
  for (let n = 0; n < WORKERS; n += 1) {
    const worker = startDeliveryWorker({ db: pool(database), now: Date.now, transport, connections: 4, log });
    onTestFinished(() => worker.stop());
  }
  for (let n = 0; n < SCHEDULERS; n += 1) {
    onTestFinished(startReservationScheduler({ db: pool(database), now: Date.now, log, ...TEST_MAILING }));
  }
  const [clicked, secondTab] = [randomUUID(), randomUUID()];
  const answers = await Promise.all([
    ...Array.from({ length: 20 }, () => send(clicked, ids)),
    ...Array.from({ length: 20 }, () => send(secondTab, ids.toReversed())),
  ]);
  expect(new Set(answers.map(({ status }) => status))).toStrictEqual(new Set([200]));
  const tabs = [answers.slice(0, 20), answers.slice(20)].map((tab) => tab.map(({ body }) => body as SendAnswer));
  // Either tab may get the group's lock first. It sends all, and its other clicks repeat the first one's answer.
  const [first = [], second = []] = tabs.toSorted((a, b) => (b[0]?.accepted ?? 0) - (a[0]?.accepted ?? 0));
  expect(first[0]).toMatchObject({ status: 'accepted', accepted: COMPANIES - RESERVED });
  expect(new Set(first.map((answer) => JSON.stringify(answer))).size).toBe(1);
  // The other tab finds no company. Its key stays unused (decisions/runs), so each answer has the current
  // reasons.
  for (const { skipped, ...rest } of second) {
    expect(rest).toStrictEqual({ status: 'no-added', send_log_id: null, accepted: 0 });
    expect(skipped.map(({ prospect_id }) => prospect_id).toSorted((a, b) => a - b)).toStrictEqual(ids);
    expect(['reserved', 'open_delivery', 'recently_sent']).toEqual(
      expect.arrayContaining(skipped.map(({ reason }) => reason)),
    );
  }

  await eventually(
    () => sink.mails.length,
    (count) => count >= COMPANIES,
    40_000,
  );
  await untilSettled(database.db);
  expect(sink.mails.map(({ to }) => to.join()).sort()).toStrictEqual(
    companies.map(({ company_email }) => company_email).sort(),
  );
  const arrived = sink.mails.map(({ messageId }) => messageId);
  expect(await judge(database.db, arrived)).toMatchObject({ wrong: [], sent: COMPANIES, unknown: 0 });
  const runs = await database.db.selectFrom('send_log').select('reservation_id').execute();
  expect(runs.filter(({ reservation_id }) => reservation_id !== null)).toHaveLength(4);
  expect(runs).toHaveLength(5);
});
