import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { acceptMails } from '#test/mails.ts';
import { openAs } from '#test/open-as.ts';
import { startOwnPostgres } from '#test/own-postgres.ts';
import { eventually } from '#test/sending.ts';
import { startSinkProcess } from '#test/sink-process.ts';
import { form } from './form.ts';
import { report, watchRecovery } from './report.ts';
import { judge } from './truth.ts';
import { startWorker, stop, untilSettledByRetries, untilStarted, wireTo } from './workers.ts';

const random = form.random();
const WORKERS = 2;
const CONNECTIONS = 4;

test(
  `${form.restarts} × immediate restart of the database in ${form.mails} mails: none lost, none doubled, no worker exits (seed ${form.seed})`,
  async () => {
    const begun = performance.now();
    const postgres = await startOwnPostgres();
    onTestFinished(() => postgres.stop());
    const { wire, url } = await wireTo(postgres);
    const owner = openDatabase(url);
    const api = openAs('api', url);
    onTestFinished(async () => {
      await owner.close();
      await api.close();
    });
    const sink = await startSinkProcess(5);
    onTestFinished(() => sink.stop());
    const workers = Array.from({ length: WORKERS }, () => startWorker(url, sink.port, CONNECTIONS));
    await untilStarted(...workers);
    await acceptMails({ db: owner.db, account: accountDbOf(api.db) }, form.mails);
    const recovered = watchRecovery(owner.db);
    for (let crashes = 0; crashes < form.restarts; crashes += 1) {
      const next = ((crashes + 0.5) * 0.9 * form.mails) / form.restarts;
      await eventually(sink.count, (count) => count >= next, 60_000);
      await sleep(random() * 30);
      wire.target = await postgres.crash();
    }
    await untilSettledByRetries(owner, 60_000 + form.mails * 10);
    const recovery = recovered();
    for (const worker of workers) {
      expect(worker.child.exitCode, worker.output()).toBeNull();
      expect(await stop(worker)).toBe(0);
    }
    const { wrong, ...verdict } = await judge(
      owner.db,
      sink.mails().map(({ messageId }) => messageId),
    );
    const seconds = (performance.now() - begun) / 1000;
    const run = 'database, immediate restart';
    report({ run, mails: form.mails, faults: form.restarts, recovery, seconds, ...verdict });
    expect(wrong).toStrictEqual([]);
    expect(verdict.sent + verdict.unknown).toBe(form.mails);
    expect(verdict.unknown).toBeLessThanOrEqual(form.restarts * WORKERS * CONNECTIONS);
  },
  180_000 + form.restarts * 20_000 + form.mails * 20,
);
