import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setSenderPace } from '#server/features/delivery/quota/sender-pace.command.ts';
import { startSinkProcess } from '#test/sink-process.ts';
import { print } from './figures.ts';
import { openScene, queueMails, startWorkers, stopWorkers } from './sending-scene.ts';

/**
 * Checks a sender's pace over several worker processes, by the times at which the sink accepted its mails.
 * `npm run bench -- sending-pace [--per-minute 120] [--minutes 3] [--workers 4] [--connections 5]`.
 */
const { values } = parseArgs({
  options: {
    'per-minute': { type: 'string', default: '120' },
    minutes: { type: 'string', default: '3' },
    workers: { type: 'string', default: '4' },
    connections: { type: 'string', default: '5' },
  },
});
const [perMinute, minutes] = [values['per-minute'], values.minutes].map(Number) as [number, number];
const MINUTE_MS = 60_000;

const scene = await openScene();
const sink = await startSinkProcess();
const { accountId, senderId: id } = await queueMails(scene, perMinute * (minutes + 1));
await setSenderPace(scene.db, { accountId, id }, { perMinute });
const options = { workers: Number(values.workers), connections: Number(values.connections) };
const programs = await startWorkers(scene, sink, options);
await sleep(minutes * MINUTE_MS);
await stopWorkers(programs);
const times = sink.mails().map(({ at }) => at);
await sink.stop();
await scene.close();

/** The highest count in any minute. */
let most = 0;
let first = 0;
for (const [last, at] of times.entries()) {
  while (at - (times[first] ?? at) >= MINUTE_MS) first += 1;
  most = Math.max(most, last - first + 1);
}
const span = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / MINUTE_MS;
print(
  '| limit, mails a minute | workers | minutes | mails | a minute on average | most in any minute |',
  '| --- | --- | --- | --- | --- | --- |',
  `| ${perMinute} | ${values.workers} | ${span.toFixed(2)} | ${times.length} | ${((times.length - 1) / span).toFixed(1)} | ${most} |`,
);
