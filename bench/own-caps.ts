import { once } from 'node:events';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { pino } from 'pino';
import { exportHandler } from '#server/features/exports/export-job.ts';
import { importHandlers } from '#server/features/imports/import-jobs.ts';
import { startJobWorker } from '#server/features/jobs/job-worker.ts';
import { NO_STORAGE_LIMITS } from '#server/features/stored-files/storage-limits.ts';
import { openSessionOf } from '#test/accounts.ts';
import { serve } from '#test/client.ts';
import { openAs } from '#test/open-as.ts';
import { type Ask, ownCapCalls } from '#test/own-cap-calls.ts';
import { addFullOwn } from '#test/own-caps.ts';
import { median, ms, print } from './figures.ts';
import type { Asked } from './full-account-client.ts';
import { longestTurn } from './longest-turn.ts';
import { openScene } from './sending-scene.ts';

/**
 * Measures the longest block of the event loop by calls of accounts whose own fields, tags and people are full (bar:
 * 50 ms), as full-account.ts measures those of full rules. The jobs run in the same process.
 * `npm run bench -- own-caps [--rounds 5] [--only 'bulk|export']`
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string', default: '' } },
});
const rounds = Number(values.rounds);

const scene = await openScene();
const login = openAs('login', scene.url);
const api = openAs('api', scene.url);
const service = openAs('service', scene.url);
const { db, pool } = service;
const handlers = {
  ...importHandlers({ db, pool, now: Date.now, peopleMax: 2_000_000 }),
  export: exportHandler({ db, now: Date.now, limits: NO_STORAGE_LIMITS }),
};
const stopJobs = startJobWorker({ db, log: pino({ level: 'warn' }), handlers, pollMs: 50 });
const address = await serve({ api: api.db, login: login.db });

print(
  '| full data: call | longest turn, CPU ms: first | median of the others | most | whole, ms |',
  `|${' --- |'.repeat(5)}`,
);
for (const type of ['choice', 'text'] as const) {
  const full = await addFullOwn(scene.db, type);
  await sql`VACUUM ANALYZE`.execute(scene.db);
  const authorization = `Bearer ${await openSessionOf(login.db, full.accountId, Date.now())}`;
  const worker = new Worker(new URL('full-account-client.ts', import.meta.url), {
    workerData: { address, authorization },
  });
  const ask: Ask = async (method, path, body) => {
    worker.postMessage({ method, path, body } satisfies Asked);
    return (await once(worker, 'message'))[0];
  };
  for (const { name, work } of ownCapCalls(full).filter((one) => new RegExp(values.only).test(one.name))) {
    const turns: number[] = [];
    const begun = performance.now();
    for (let round = 0; round <= rounds; round += 1) turns.push(await longestTurn(() => work(ask, round)));
    const took = (performance.now() - begun) / turns.length;
    // The first round compiles the code.
    const [first = 0, ...others] = turns;
    print(`| ${type}: ${name} | ${ms(first)} | ${ms(median(others))} | ${ms(Math.max(...others))} | ${ms(took)} |`);
  }
  await worker.terminate();
}
print('', `${rounds} rounds, load ${loadavg()[0]?.toFixed(0)}`);
await stopJobs();
for (const one of [api, login, service]) await one.close();
await scene.close();
process.exit();
