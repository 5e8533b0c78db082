import { load, type Peer, type PeerMail } from './peer.ts';

interface GraphileWorker {
  makeWorkerUtils(options: { connectionString: string }): Promise<{
    migrate(): Promise<void>;
    addJobs(jobs: { identifier: string; payload: PeerMail }[]): Promise<unknown>;
    release(): Promise<void>;
  }>;
  run(options: {
    connectionString: string;
    noHandleSignals: boolean;
    taskList: Record<string, (payload: PeerMail) => Promise<void>>;
    preset: { worker: Record<string, unknown> };
  }): Promise<unknown>;
  Logger: new (factory: () => () => void) => unknown;
}

const BATCH = 1000;

/** graphile-worker as its documentation advises for speed: a local queue, jobs completed in batches. */
export const graphileWorker: Peer = {
  fill: async ({ databaseUrl }, mails) => {
    const { makeWorkerUtils } = load<GraphileWorker>('graphile-worker');
    const utils = await makeWorkerUtils({ connectionString: databaseUrl });
    await utils.migrate();
    for (let at = 0; at < mails.length; at += BATCH) {
      await utils.addJobs(mails.slice(at, at + BATCH).map((payload) => ({ identifier: 'mail', payload })));
    }
    await utils.release();
  },
  start: async ({ databaseUrl, jobs, send }) => {
    const { run, Logger } = load<GraphileWorker>('graphile-worker');
    await run({
      connectionString: databaseUrl,
      noHandleSignals: true,
      taskList: { mail: send },
      preset: {
        worker: {
          concurrentJobs: jobs,
          maxPoolSize: 10,
          localQueue: { size: Math.max(500, jobs + 1) },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          logger: new Logger(() => () => {}),
        },
      },
    });
  },
};
