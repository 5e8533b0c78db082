import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendGridTemplates } from '#server/features/delivery/transports/sendgrid/sendgrid-transport.ts';
import { smtpTemplates } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import { giveBack } from '#server/features/reservations/give-back.command.ts';
import { steerRun } from '#server/features/runs/run-control.command.ts';
import { Problem } from '#server/platform/problem.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { giveSendGridTemplates } from '#test/mails.ts';
import { switchOffNoticeMails } from '#test/notices.ts';
import type { Program } from '#test/program.ts';
import { addTenant } from '#test/prospects.ts';
import { testSendGrid } from '#test/sendgrid.ts';
import { acceptRun, chooseUndo, eventually, testSink, untilSettled } from '#test/sending.ts';
import { form } from './form.ts';
import { report, watchRecovery } from './report.ts';
import { judge } from './truth.ts';
import { kill, startSendGridWorker, startWorker, untilMerged, untilStarted } from './workers.ts';

const random = form.random();
const MAILS_A_RUN = 3;
const WINDOW_SECONDS = 10;
/** The number of runs whose undo windows overlap. */
const WAVE = 100;
const KILLS_A_WAVE = 3;

interface Server {
  readonly start: (url: string) => Program;
  /** Returns when each mail arrived, by Message-ID, with repetitions. */
  readonly arrivals: () => readonly { readonly id: string; readonly at: number }[];
}

async function smtpServer(): Promise<Server> {
  const sink = await testSink();
  return {
    start: (url) => startWorker(url, sink.port),
    arrivals: () => sink.mails.map(({ messageId, at }) => ({ id: messageId, at })),
  };
}

async function sendGridServer(): Promise<Server> {
  const fake = await testSendGrid();
  const arrived: { id: string; at: number }[] = [];
  fake.fault = ({ personalizations }) => {
    for (const { headers } of personalizations) arrived.push({ id: headers?.['Message-ID'] ?? '', at: Date.now() });
    return null;
  };
  return { start: (url) => startSendGridWorker(url, fake), arrivals: () => arrived };
}

/** Returns a random moment for an undo, in ms before the window's end: half within the window, half around its end. */
const randomMoment = (): number => (random() < 0.5 ? random() * WINDOW_SECONDS * 1000 : (random() - 0.5) * 600);

const until = (instant: number) => sleep(Math.max(0, instant - Date.now()));

async function startOf({ db }: TestDatabase, id: number): Promise<number> {
  const { starts_at } = await db
    .selectFrom('send_log')
    .select('starts_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return starts_at?.getTime() ?? expect.unreachable();
}

const leftOf = async ({ db }: TestDatabase, id: number): Promise<number> =>
  (
    await db
      .selectFrom('delivery')
      .select('id')
      .where('send_log_id', '=', id)
      .where('state', 'in', ['sent', 'unknown'])
      .execute()
  ).length;

/**
 * The reference is what the servers received: no mail before the end of its window, none of a run whose undo was
 * answered earlier, and of other runs none that counts as cancelled.
 */
test.each([
  ['SMTP', smtpServer, smtpTemplates],
  ['SendGrid', sendGridServer, sendGridTemplates],
])(
  `${form.undos} undos at random moments with 2 workers and kill -9, by %s: no mail of an undone run arrives (seed ${form.seed})`,
  async (name, serverOf, transport) => {
    const begun = performance.now();
    const database = await emptyDatabase();
    const server = await serverOf();
    const tenant = await addTenant(database.db);
    const account = database.account(tenant.accountId, tenant.memberId);
    await switchOffNoticeMails(database.db, tenant);
    if (transport === sendGridTemplates) await giveSendGridTemplates(database.db);
    await chooseUndo(database.db, tenant.accountId, WINDOW_SECONDS);
    const start = () => server.start(database.url);
    const workers = [start(), start()];
    await untilStarted(...workers);
    const recovered = watchRecovery(database.db);
    const starts = new Map<number, number>();
    let kills = 0;

    async function undo(n: number, id: number, startsAt: number): Promise<void> {
      // The first undo of a wave comes when mails have been sent.
      if (n % WAVE === 0)
        await eventually(
          () => leftOf(database, id),
          (left) => left > 0,
          60_000,
        );
      else await until(startsAt - randomMoment());
      const answer = await steerRun(account, id, 'cancelled', giveBack);
      const isInTime = Date.now() < startsAt;
      if (answer instanceof Problem) {
        expect(answer.code).toBe('run_finished');
        expect(isInTime).toBe(false);
        return;
      }
      if (isInTime) expect(answer).toStrictEqual({ status: 'updated', cancelled: MAILS_A_RUN, left: 0 });
      expect((answer.cancelled ?? 0) + (answer.left ?? 0)).toBe(MAILS_A_RUN);
    }

    for (let from = 0; from < form.undos; from += WAVE) {
      const undos: Promise<void>[] = [];
      for (let n = from; n < Math.min(form.undos, from + WAVE); n += 1) {
        const { id } = await acceptRun(database, tenant, MAILS_A_RUN, { transport });
        const startsAt = await startOf(database, id);
        starts.set(id, startsAt);
        undos.push(undo(n, id, startsAt));
      }
      const last = [...starts.values()].at(-1) ?? 0;
      for (let n = 0; n < KILLS_A_WAVE; n += 1, kills += 1) {
        // Around the ends of the windows, when workers hold mails.
        await until(last - random() * 3000);
        const [victim] = workers.splice(n % 2, 1, start());
        if (victim) await kill(victim);
      }
      await Promise.all(undos);
    }
    await untilSettled(database.db, 120_000);
    await untilMerged(database);
    const recovery = recovered();
    for (const worker of workers) await kill(worker);

    const arrivals = server.arrivals();
    const { wrong, ...verdict } = await judge(
      database.db,
      arrivals.map(({ id }) => id),
    );
    const mails = form.undos * MAILS_A_RUN;
    const seconds = (performance.now() - begun) / 1000;
    report({ run: `${form.undos} undos, ${name}`, mails, faults: kills, recovery, seconds, ...verdict });
    expect(wrong).toStrictEqual([]);
    const runs = await database.db.selectFrom('delivery').select(['message_id', 'send_log_id']).execute();
    const startOfMail = new Map(runs.map(({ message_id, send_log_id }) => [message_id, starts.get(send_log_id) ?? 0]));
    expect(arrivals.filter(({ id, at }) => at < (startOfMail.get(id) ?? 0))).toStrictEqual([]);
    // Both cases occurred: undos in time, and runs with sent mails.
    expect(verdict.sent + verdict.unknown).toBeGreaterThan(0);
    expect(verdict.sent + verdict.unknown).toBeLessThan(mails);
  },
  120_000 + form.undos * 1000,
);
