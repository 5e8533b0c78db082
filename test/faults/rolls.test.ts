import { expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '#test/db.ts';
import { acceptMails } from '#test/mails.ts';
import { eventually, untilSettled } from '#test/sending.ts';
import { startSinkProcess } from '#test/sink-process.ts';
import { form } from './form.ts';
import { report } from './report.ts';
import { judge } from './truth.ts';
import { startWorker } from './workers.ts';

const WORKERS = 2;

test(
  `${form.rolls} × SIGTERM and a new worker in ${form.mails} mails: all sent, none unknown`,
  async () => {
    const begun = performance.now();
    const database = await testDatabase();
    const sink = await startSinkProcess(5);
    onTestFinished(() => sink.stop());
    await acceptMails(database, form.mails);
    const start = () => startWorker(database.url, sink.port);
    const workers = Array.from({ length: WORKERS }, start);
    const stop = async (worker: (typeof workers)[number] | undefined) => {
      worker?.child.kill('SIGTERM');
      expect(await worker?.ended).toBe(0);
    };
    for (let rolls = 0; rolls < form.rolls; rolls += 1) {
      const next = ((rolls + 0.5) * 0.9 * form.mails) / form.rolls;
      await eventually(sink.count, (count) => count >= next, 60_000);
      workers.push(start());
      await stop(workers.shift());
    }
    await untilSettled(database.db, 120_000);
    for (const worker of workers) await stop(worker);
    const { wrong, ...verdict } = await judge(
      database.db,
      sink.mails().map(({ messageId }) => messageId),
    );
    const seconds = (performance.now() - begun) / 1000;
    report({ run: 'SIGTERM', mails: form.mails, faults: form.rolls, recovery: null, seconds, ...verdict });
    expect({ wrong, ...verdict }).toMatchObject({ wrong: [], sent: form.mails, unknown: 0 });
  },
  120_000 + form.rolls * 10_000 + form.mails * 20,
);
