import type { OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import { buildApp } from '#server/app.ts';
import { NO_STORAGE_LIMITS } from '#server/features/stored-files/storage-limits.ts';
import type { Db } from '#server/platform/database/db.ts';
import { outboundWith } from '#server/platform/outbound/outbound.ts';
import { discardLanes } from '#test/discard-lanes.ts';
import { noAccountHosts, PUBLIC_URL, TEST_MAILING } from '#test/mailing.ts';
import { NO_DNS } from '#test/no-dns.ts';
import { openAs } from '#test/open-as.ts';
import { testSecrets } from '#test/secrets.ts';
import { get } from './http-load.ts';

/** The statements that a call sends to the database, in order. */
export interface Statement {
  /** The name of a prepared statement. */
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

export interface Recorder {
  /** Runs a call in this process, on one connection of the role kaitaku_api. @returns its statements */
  record(path: string): Promise<Statement[]>;
  /** Runs `work` on a connection of the role kaitaku_api. */
  run<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result>;
  /** Runs `work` on such a connection, with an account set. */
  runAs<Result>(accountId: number, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export async function openRecorder(url: string, login: Db, headers: OutgoingHttpHeaders): Promise<Recorder> {
  const api = openAs('api', url, 1);
  let recording: Statement[] | null = null;
  api.pool.on('connect', (client) => {
    const plain = client.query.bind(client) as (...all: unknown[]) => never;
    client.query = (...all: unknown[]) => {
      const asked = all[0] as string | Statement;
      recording?.push(typeof asked === 'string' ? { text: asked, values: (all[1] as unknown[]) ?? [] } : asked);
      return plain(...all);
    };
  });
  const mailer = async () => ({ kind: 'sent', reply: '250 OK' }) as const;
  const app = await buildApp({
    api: api.db,
    login,
    now: Date.now,
    mailer,
    ...TEST_MAILING,
    publicUrl: PUBLIC_URL,
    accountHosts: noAccountHosts(PUBLIC_URL),
    lanes: discardLanes,
    storageLimits: NO_STORAGE_LIMITS,
    companiesMax: 2_000_000,
    peopleMax: 2_000_000,
    secrets: testSecrets,
    outbound: outboundWith(),
    ...NO_DNS,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  const run: Recorder['run'] = async (work) => {
    const client = await api.pool.connect();
    try {
      return await work(client);
    } finally {
      client.release();
    }
  };
  return {
    record: async (path) => {
      const taken: Statement[] = [];
      recording = taken;
      await get({ port, path, headers });
      recording = null;
      return taken;
    },
    run,
    runAs: (accountId, work) =>
      run(async (client) => {
        await client.query(`SELECT set_config('app.account_id', $1, false)`, [accountId]);
        try {
          return await work(client);
        } finally {
          await client.query('RESET app.account_id');
        }
      }),
    close: async () => {
      await app.close();
      await api.close();
    },
  };
}
