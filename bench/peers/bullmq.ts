import { load, type Peer, type PeerMail } from './peer.ts';

interface BullMq {
  Queue: new (
    name: string,
    options: object,
  ) => { addBulk(jobs: { name: string; data: PeerMail; opts: object }[]): Promise<unknown>; close(): Promise<void> };
  Worker: new (
    name: string,
    work: (job: { data: PeerMail }) => Promise<void>,
    options: object,
  ) => { waitUntilReady(): Promise<unknown> };
}

const BATCH = 1000;
/** The time in ms after which a killed worker's jobs are detected; BullMQ's own default is 30 s. */
const STALLED_MS = 5000;
const redisOf = (port: number) => ({ host: '127.0.0.1', port, maxRetriesPerRequest: null });

export const bullMq: Peer = {
  fill: async ({ redisPort }, mails) => {
    const { Queue } = load<BullMq>('bullmq');
    const queue = new Queue('mail', { connection: redisOf(redisPort) });
    const opts = { removeOnComplete: true, attempts: 3 };
    for (let at = 0; at < mails.length; at += BATCH) {
      await queue.addBulk(mails.slice(at, at + BATCH).map((data) => ({ name: 'mail', data, opts })));
    }
    await queue.close();
  },
  start: async ({ redisPort, jobs, send }) => {
    const { Worker } = load<BullMq>('bullmq');
    const worker = new Worker('mail', ({ data }) => send(data), {
      connection: redisOf(redisPort),
      concurrency: jobs,
      lockDuration: STALLED_MS,
      stalledInterval: STALLED_MS,
    });
    await worker.waitUntilReady();
  },
};
