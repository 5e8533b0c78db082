import type { AddressInfo } from 'node:net';
import { API_BASE } from '#contract/call.ts';
import { buildApp } from '#server/app.ts';
import { openSession } from '#server/features/auth/session.ts';
import type { TestDatabase } from './db.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A logged-in account's view of the API; paths are below API_BASE. */
export interface Client {
  get(path: string): Promise<Answer>;
  post(path: string, body: object, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body: object): Promise<Answer>;
}

/**
 * The API over real HTTP: an injected request lacks parts of a real one (headersDistinct). The server ends with the test file.
 * @returns the address of API_BASE
 */
export async function serve({ api, login }: TestDatabase, now: () => number = Date.now): Promise<string> {
  const app = await buildApp({ api, login, now });
  await app.listen({ host: '127.0.0.1', port: 0 });
  app.server.unref();
  const { port } = app.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}${API_BASE}`;
}

export async function clientOf(
  database: TestDatabase,
  accountId: number,
  now: () => number = Date.now,
): Promise<Client> {
  const api = await serve(database, now);
  const authorization = `Bearer ${await openSession(database.login, accountId, now())}`;

  const send = async (method: string, path: string, body?: object, more = {}): Promise<Answer> => {
    const response = await fetch(api + path, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }), ...more },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    get: (path) => send('GET', path),
    post: (path, body, headers) => send('POST', path, body, headers),
    put: (path, body) => send('PUT', path, body),
  };
}
