import { load, type Peer, type PeerMail } from './peer.ts';

interface PgBossModule {
  PgBoss: new (
    options: object,
  ) => {
    on(event: 'error', listener: (error: Error) => void): void;
    start(): Promise<unknown>;
    stop(options: object): Promise<void>;
    createQueue(name: string, options: object): Promise<void>;
    insert(name: string, jobs: { data: PeerMail }[]): Promise<unknown>;
    work(name: string, options: object, handler: (jobs: { data: PeerMail }[]) => Promise<unknown>): Promise<string>;
  };
}

const BATCH = 1000;
/** The time in seconds after which a killed worker's jobs are fetched again; pg-boss's own default is 15 minutes. */
const EXPIRY_SECONDS = 10;
/** The number of parallel batches: while the last mails of one wait, another uses the connections. */
const BATCHES = 4;

async function startBoss(connectionString: string) {
  const { PgBoss } = load<PgBossModule>('pg-boss');
  const boss = new PgBoss({ connectionString, superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 });
  boss.on('error', (error) => process.stderr.write(`${error.message}\n`));
  await boss.start();
  return boss;
}

export const pgBoss: Peer = {
  fill: async ({ databaseUrl }, mails) => {
    const boss = await startBoss(databaseUrl);
    await boss.createQueue('mail', { expireInSeconds: EXPIRY_SECONDS });
    for (let at = 0; at < mails.length; at += BATCH) {
      await boss.insert(
        'mail',
        mails.slice(at, at + BATCH).map((data) => ({ data })),
      );
    }
    await boss.stop({ graceful: false });
  },
  start: async ({ databaseUrl, jobs, send }) => {
    const boss = await startBoss(databaseUrl);
    const options = {
      batchSize: jobs / 2,
      localConcurrency: BATCHES,
      burstWhenBatchFull: true,
      pollingIntervalSeconds: 0.5,
    };
    await boss.work('mail', options, (batch) => Promise.all(batch.map(({ data }) => send(data))));
  },
};
