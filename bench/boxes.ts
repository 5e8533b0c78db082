import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { leaveBy } from '#test/box-sinks.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { acceptMails } from '#test/mails.ts';
import { TEST_SECRET_KEY } from '#test/secrets.ts';
import { startSinkProcess } from '#test/sink-process.ts';
import { median, percentile, print } from './figures.ts';
import { openScene } from './sending-scene.ts';
import { type Measured, measureWorkers, warmUp } from './sending-sides.ts';

/**
 * Measures whether mailboxes slow down the mail server of the environment: its mails per second beside mailboxes whose
 * servers greet after a minute, against the same alone.
 * `npm run bench -- boxes [--boxes 20] [--mails 5000] [--workers 1] [--connections 10] [--rounds 5]`.
 *
 * Every round measures both, on one sink; odd rounds begin with the other. A share compares the two of one round. Each
 * round has new mailboxes, because a fault pauses those of the round before.
 */
const { values } = parseArgs({
  options: {
    boxes: { type: 'string', default: '20' },
    mails: { type: 'string', default: '5000' },
    workers: { type: 'string', default: '1' },
    connections: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '5' },
  },
});
const [boxes, mails, workers, connections, rounds] = [
  values.boxes,
  values.mails,
  values.workers,
  values.connections,
  values.rounds,
].map(Number) as [number, number, number, number, number];
const GREETS_AFTER_MS = 60_000;
const MAILS_OF_BOX = 20;

const scene = await openScene();
const { db } = scene;
// The slow server has a free port.
await sql`ALTER TABLE mailbox DROP CONSTRAINT mailbox_smtp_port_check`.execute(db);
const open = new Set<Socket>();
const server = createServer((socket) => {
  open.add(socket);
  const greeting = setTimeout(() => socket.write('220 slow ESMTP\r\n'), GREETS_AFTER_MS);
  socket
    .on('error', () => {})
    .on('close', () => {
      clearTimeout(greeting);
      open.delete(socket);
    });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

const START_MS = 15_000;
const STARTED_MS = 2000;

/** Waits until all mailboxes wait for the greeting. A worker gives up each after 20 s. */
async function untilConnected(): Promise<void> {
  const started = sleep(STARTED_MS);
  for (const end = performance.now() + START_MS; open.size < boxes; await sleep(20)) {
    if (performance.now() > end) throw new Error(`only ${open.size} of ${boxes} mailboxes were connected to`);
  }
  await started;
}

/** Adds senders with waiting mails and a mailbox each, at the slow server. */
async function addBoxes(): Promise<void> {
  for (let n = 0; n < boxes; n += 1) {
    const tenant = await acceptMails(scene, MAILS_OF_BOX);
    const address = `person@box${n}.example`;
    const at = { address, smtp_host: '127.0.0.1', smtp_port: port };
    await leaveBy({ db }, tenant, await addTestMailbox(db, tenant.accountId, at), address);
    const mail = sql`jsonb_set(mail, '{sender,email}', to_jsonb(${address}::text))`;
    await sql`UPDATE send_log SET mail = ${mail} WHERE account_id = ${tenant.accountId}`.execute(db);
  }
}

const env = { SECRET_KEY: TEST_SECRET_KEY, MAIL_HOSTS_ALLOWED: '127.0.0.1' };
const alone: Measured[] = [];
const beside: Measured[] = [];
for (let round = 0; round < rounds; round += 1) {
  const sink = await startSinkProcess();
  await warmUp(sink, { connections });
  const options = { mails, workers, connections, env };
  const sides = [
    async () => {
      // As long as the mailboxes take: a worker that has just started is slower.
      const nothing = { queue: async () => {}, onItsWay: () => sleep(STARTED_MS) };
      alone.push(await measureWorkers(scene, sink, { ...options, beside: nothing }));
    },
    async () => {
      const slow = { queue: addBoxes, onItsWay: untilConnected };
      beside.push(await measureWorkers(scene, sink, { ...options, beside: slow }));
    },
  ];
  for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side();
  await sink.stop();
}
server.close();
for (const socket of open) socket.destroy();
await scene.close();

const shares = beside.map(({ rate }, round) => rate / (alone[round]?.rate ?? 1));
const rateOf = (all: readonly Measured[]) => median(all.map(({ rate }) => rate)).toFixed(0);
print(
  `| mails | workers | connections | mails/s alone | beside ${boxes} mailboxes | share, median | lowest | highest |`,
  '| --- | --- | --- | --- | --- | --- | --- | --- |',
  `| ${[mails, workers, connections, rateOf(alone), rateOf(beside), median(shares).toFixed(2), ...[0, 1].map((at) => percentile(shares, at).toFixed(2))].join(' | ')} |`,
);
