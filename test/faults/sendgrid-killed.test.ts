import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendGridTemplates } from '#server/features/delivery/transports/sendgrid/sendgrid-transport.ts';
import { serveApp } from '#test/client.ts';
import { emptyDatabase } from '#test/db.ts';
import { acceptMails } from '#test/mails.ts';
import { eventOf, testSendGrid } from '#test/sendgrid.ts';
import { countStates, eventually, untilSettled } from '#test/sending.ts';
import { form } from './form.ts';
import { report, watchRecovery } from './report.ts';
import { judge } from './truth.ts';
import { kill, startSendGridWorker, stop } from './workers.ts';

const random = form.random();
const MAILS_A_RUN = 200;
const KILLS = form.isLong ? 20 : 2;
const RUNS = KILLS + 3;
/** The number of accepted requests: SendGrid accepts the first and every second one before their worker is killed. */
const TAKEN = Math.ceil(KILLS / 2);

/**
 * The reference is what SendGrid accepted.
 * If a worker is killed during a request, its mails are unknown, whether SendGrid has them or not; SendGrid's events
 * then give the outcome.
 */
test(
  `${KILLS} × kill -9 of a worker during a request to SendGrid: none lost, none doubled; events give unknown mails their outcome (seed ${form.seed})`,
  async () => {
    const begun = performance.now();
    const database = await emptyDatabase();
    const fake = await testSendGrid();
    for (let n = 0; n < RUNS; n += 1) await acceptMails(database, MAILS_A_RUN, { transport: sendGridTemplates });
    const start = () => startSendGridWorker(database.url, fake);

    const recovered = watchRecovery(database.db);
    // Each worker is killed while it waits for SendGrid's answer to a request that was or was not accepted.
    for (let n = 0; n < KILLS; n += 1) {
      const before = fake.mails.length;
      const taken = n % 2 === 0;
      let reached = false;
      fake.fault = () => {
        reached = true;
        return taken ? 'take, silence' : 'silence';
      };
      const worker = start();
      await eventually(() => reached, Boolean, 60_000);
      await eventually(
        () => fake.mails.length - before,
        (count) => count === (taken ? MAILS_A_RUN : 0),
      );
      await sleep(random() * 30);
      await kill(worker);
    }
    fake.fault = () => null;
    const last = start();
    await untilSettled(database.db, 60_000);
    const recovery = recovered();
    expect(await stop(last)).toBe(0);

    const arrived = fake.mails.map(({ headers }) => headers?.['Message-ID'] ?? '');
    const { wrong, ...verdict } = await judge(database.db, arrived);
    const seconds = (performance.now() - begun) / 1000;
    report({ run: 'kill -9, SendGrid', mails: RUNS * MAILS_A_RUN, faults: KILLS, recovery, seconds, ...verdict });
    expect(wrong).toStrictEqual([]);
    expect(verdict).toMatchObject({
      unknown: KILLS * MAILS_A_RUN,
      unknownArrived: TAKEN * MAILS_A_RUN,
      sent: (RUNS - KILLS) * MAILS_A_RUN,
    });

    const { address } = await serveApp(database, Date.now, { eventKeys: [fake.publicKey] });
    const request = fake.signed(fake.mails.map((mail) => eventOf(mail, 'processed')));
    expect((await fetch(`${address}/sendgrid/events`, { method: 'POST', ...request })).status).toBe(200);
    expect(await countStates(database.db)).toStrictEqual({
      sent: (RUNS - KILLS + TAKEN) * MAILS_A_RUN,
      unknown: (KILLS - TAKEN) * MAILS_A_RUN,
    });
    expect((await judge(database.db, arrived)).wrong).toStrictEqual([]);
  },
  120_000 + KILLS * 20_000,
);
