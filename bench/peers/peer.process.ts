import { once } from 'node:events';
import nodemailer from 'nodemailer';
import pg from 'pg';
import { bullMq } from './bullmq.ts';
import { graphileWorker } from './graphile-worker.ts';
import { rendered } from './letter.ts';
import { limit } from './limit.ts';
import type { Peer, PeerContext, PeerMail, PeerOptions, PeerResult } from './peer.ts';
import { pgBoss } from './pg-boss.ts';

// node bench/peers/peer.process.ts OPTIONS: a worker of a peer, forked by bench/peers.ts. It fills its queue, sends
// 'ready', and starts at the first message. It sends its PeerResult when all rows are `sent`, and ends at the second
// message: until then /proc shows the CPU of its database connections.
const PEERS: Readonly<Record<string, Peer>> = {
  'graphile-worker': graphileWorker,
  bullmq: bullMq,
  'pg-boss': pgBoss,
  limit,
};

const options: PeerOptions = JSON.parse(process.argv[2] ?? '');
const peer = PEERS[options.peer];
if (!peer) throw new Error(`unknown peer: ${options.peer}`);
pg.types.setTypeParser(20, Number);
const db = new pg.Pool({ connectionString: options.databaseUrl, max: 10 });
const pool = nodemailer.createTransport({
  pool: true,
  host: '127.0.0.1',
  port: options.smtpPort,
  ignoreTLS: true,
  maxConnections: options.connections,
  disableFileAccess: true,
  disableUrlAccess: true,
});

const unsent = 'SELECT id, mail_to AS "to", company FROM peer_mail WHERE sent_at IS NULL ORDER BY id';
const { rows: mails } = await db.query<PeerMail>(unsent);
let left = mails.length;
let finish = () => {};
const finished = new Promise<void>((done) => {
  finish = done;
});
const recorded = (rows: number) => {
  left -= rows;
  if (left === 0) finish();
};

/** Returns whether a mail was sent. Only a worker that follows a killed one queries the row, to be safe. */
async function isSent({ id }: PeerMail): Promise<boolean> {
  if (options.enqueue > 0) return false;
  const { rows } = await db.query('SELECT 1 FROM peer_mail WHERE id = $1 AND sent_at IS NOT NULL', [id]);
  return rows.length > 0;
}

async function send(mail: PeerMail): Promise<void> {
  if (await isSent(mail)) return;
  const from = { name: '担当', address: 'sender@example.com' };
  const { response } = await pool.sendMail({ from, to: mail.to, ...rendered(mail) });
  await db.query({
    name: 'record',
    text: 'UPDATE peer_mail SET sent_at = now(), answer = $2 WHERE id = $1 AND sent_at IS NULL',
    values: [mail.id, response],
  });
  recorded(1);
}

const context: PeerContext = { ...options, db, send, recorded, jobs: 2 * options.connections };
if (options.enqueue > 0) await peer.fill(context, mails);
process.send?.('ready');
await once(process, 'message');
const begun = performance.now();
const before = process.cpuUsage();
await peer.start(context);
await finished;
const { user, system } = process.cpuUsage(before);
const result: PeerResult = {
  seconds: (performance.now() - begun) / 1000,
  cpuSeconds: (user + system) / 1e6,
  rss: process.resourceUsage().maxRSS / 1024,
};
process.send?.(result);
await once(process, 'message');
process.exit();
