import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { acceptMails } from '#test/mails.ts';
import type { Program } from '#test/program.ts';
import { eventually, untilSettled } from '#test/sending.ts';
import { startSinkProcess } from '#test/sink-process.ts';
import { form } from './form.ts';
import { report, watchRecovery } from './report.ts';
import { judge } from './truth.ts';
import { kill, startWorker, stop, untilMerged } from './workers.ts';

const random = form.random();
const WORKERS = 3;
const CONNECTIONS = 4;
/** The number of texts of one profile, whose connections they share. */
const TEXTS = 3;
const LIMIT_MS = 120_000 + form.kills * 5000 + form.mails * 20;

/**
 * The reference is the sink's file of Message-IDs.
 * If a worker is killed after a mail's body has begun, the mail is `unknown`: the sink may lack it, but never has it
 * twice, and no other mail may be missing.
 */
test(
  `${form.kills} × kill -9 in ${form.mails} mails of ${TEXTS} texts, ${WORKERS} workers × ${CONNECTIONS} connections: none lost, none doubled (seed ${form.seed})`,
  async () => {
    const begun = performance.now();
    const database = await emptyDatabase();
    const sink = await startSinkProcess(form.latency);
    onTestFinished(() => sink.stop());
    await acceptMails(database, form.mails, { texts: TEXTS });
    const start = () => startWorker(database.url, sink.port, CONNECTIONS);
    const workers: Program[] = Array.from({ length: WORKERS }, start);
    const recovered = watchRecovery(database.db);
    for (let kills = 0; kills < form.kills; kills += 1) {
      const next = ((kills + 0.5) * 0.9 * form.mails) / form.kills;
      await eventually(sink.count, (count) => count >= next, 60_000);
      await sleep(random() * 30);
      const [victim] = workers.splice(Math.floor(random() * WORKERS), 1, start());
      if (victim) await kill(victim);
    }
    await untilSettled(database.db, 120_000);
    await untilMerged(database);
    const recovery = recovered();
    for (const worker of workers) expect(await stop(worker)).toBe(0);
    const { wrong, ...verdict } = await judge(
      database.db,
      sink.mails().map(({ messageId }) => messageId),
    );
    const seconds = (performance.now() - begun) / 1000;
    report({
      run: `kill -9, the 250 after ${form.latency} ms`,
      mails: form.mails,
      faults: form.kills,
      recovery,
      seconds,
      ...verdict,
    });
    expect(wrong).toStrictEqual([]);
    expect(verdict.sent + verdict.unknown).toBe(form.mails);
    expect(verdict.unknown).toBeLessThanOrEqual(form.kills * CONNECTIONS);
  },
  LIMIT_MS,
);
