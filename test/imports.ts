import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Job } from '#contract/account/jobs.ts';
import type { Import } from '#contract/imports/imports.ts';
import { importHandlers } from '#server/features/imports/import-jobs.ts';
import { startJobWorker } from '#server/features/jobs/job-worker.ts';
import { openSessionOf } from './accounts.ts';
import { type Client, clientAt, serveApp } from './client.ts';
import type { TestDatabase } from './db.ts';
import type { Tenant } from './prospects.ts';
import { eventually } from './sending.ts';

/** The calls of an import in the form in which a browser makes them. */
export interface Importer {
  readonly client: Client;
  /** Sends bytes as the body of a request. */
  send(method: 'POST' | 'PUT', path: string, bytes: Buffer): Promise<{ status: number; body: unknown }>;
  /** Sends one part of an upload. */
  part(id: number, start: number, bytes: Buffer, more?: string): Promise<{ status: number; body: unknown }>;
  /** Begins an upload and sends all of it. @returns the import's id */
  upload(text: string | Buffer, name?: string): Promise<number>;
  /** Starts a job by a call, and waits for its end. */
  job(path: string, add_info?: object): Promise<Job>;
  /** Uploads a text, checks it with these settings and imports it. @returns the import's id */
  importText(text: string, settings?: object): Promise<number>;
  read(id: number): Promise<Import>;
  file(path: string): Promise<Response>;
}

/** Serves the API and a worker for its jobs until the end of the test. */
export async function importerOf(
  database: TestDatabase,
  tenant: Tenant,
  {
    now = Date.now,
    worker = true,
    peopleMax = 2_000_000,
  }: { now?: () => number; worker?: boolean; peopleMax?: number } = {},
): Promise<Importer> {
  const { address } = await serveApp(database, now);
  const authorization = `Bearer ${await openSessionOf(database.login, tenant.accountId, now())}`;
  const client = clientAt(address, authorization);
  const { db, pool } = database.service;
  const handlers = importHandlers({ db, pool, now, peopleMax });
  if (worker) onTestFinished(startJobWorker({ db, log: pino({ level: 'silent' }), handlers, renewMs: 50, pollMs: 50 }));

  async function send(method: 'POST' | 'PUT', path: string, bytes: Buffer) {
    const response = await fetch(address + path, {
      method,
      headers: { authorization, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(bytes),
    });
    return { status: response.status, body: await response.json() };
  }

  const part = (id: number, start: number, bytes: Buffer, more = '') =>
    send('PUT', `/import/${id}/content?start=${start}${more}`, bytes);

  async function upload(text: string | Buffer, name = '見込み客.csv'): Promise<number> {
    const bytes = Buffer.from(text as string);
    const { body } = await client.post('/import', { add_info: { name, bytes: bytes.length } });
    const { id } = body as { id: number };
    await part(id, 0, bytes);
    return id;
  }

  async function job(path: string, add_info?: object): Promise<Job> {
    const { status, body } = await client.post(path, add_info ? { add_info } : {});
    if (status !== 200) throw new Error(JSON.stringify(body));
    const { id } = body as { id: number };
    return eventually(
      async () => (await client.get(`/job/${id}`)).body as Job,
      ({ finished_at }) => finished_at !== null,
    );
  }

  async function importText(text: string, settings: object = {}): Promise<number> {
    const id = await upload(text);
    await job(`/import/${id}/check`, settings);
    await job(`/import/${id}/run`, { mode: 'leave_out' });
    return id;
  }

  return {
    client,
    send,
    part,
    upload,
    job,
    importText,
    read: async (id) => (await client.get(`/import/${id}`)).body as Import,
    file: (path) => fetch(address + path, { headers: { authorization } }),
  };
}

type Look = {
  columns: { index: number; field: string | null; unit: string; custom_field_id?: number; new_field?: object }[];
  separator: string;
  header_row: number;
};

/** Imports a file as the screen does: with what the look proposes. @returns the import's id */
export async function importAsProposed(
  by: Importer,
  file: string | Buffer,
  more: object = {},
  name?: string,
): Promise<number> {
  const id = await by.upload(file, name);
  await by.job(`/import/${id}/check`, { ...(await proposal(by, id)), ...more });
  await by.job(`/import/${id}/run`, { mode: 'leave_out' });
  return id;
}

/** Returns the settings of a check that take what the look proposes. */
export async function proposal({ client }: Importer, id: number): Promise<object> {
  const look = (await client.get(`/import/${id}/look`)).body as Look;
  const columns = look.columns.flatMap(({ index, field, unit, custom_field_id: own, new_field: made }) => {
    if (field === null) return [];
    const of = own != null ? { custom_field_id: own } : field === 'own' ? { new_field: made } : {};
    return [{ index, field, unit, ...of }];
  });
  return { table: { separator: look.separator, header_row: look.header_row, columns } };
}
