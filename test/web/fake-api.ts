import { vi } from 'vitest';

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: unknown;
}

/**
 * A body is a 200; anything else says its status. 'network' is no answer at all; a promise is an answer in its own
 * time.
 */
export type FakeAnswer = { readonly status: number; readonly body: unknown } | Response | 'network';
type Handler = (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>;

export const ok = (body: unknown): FakeAnswer => ({ status: 200, body });
export const refused = (status: number, message: string, code = 'refused'): FakeAnswer => ({
  status,
  body: { message, code },
});

/** Fakes the network below fetch. A call that no handler (`METHOD /path` below the API's base) knows fails the test. */
export function fakeApi(handlers: Record<string, Handler>): FakeRequest[] {
  const requests: FakeRequest[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const { pathname, searchParams } = new URL(url, 'http://kaitaku.test');
    const path = pathname.replace(/^\/api\/v1/, '');
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    const request = {
      method: init.method ?? 'GET',
      path,
      query: searchParams,
      headers: new Headers(init.headers),
      body,
    };
    const handler = handlers[`${request.method} ${path}`];
    // Whoever does not test it asks for the progress of runs, as where no server can tell of it.
    if (handler === undefined && path === '/send_log/events') throw new TypeError('Failed to fetch');
    // Every screen asks for open runs.
    if (handler === undefined && path === '/send_log/view') return Response.json({ rows: [], total: 0 });
    requests.push(request);
    // biome-ignore lint/suspicious/noConsole: the set-up fails a test for it, which a throw into the client would not
    if (handler === undefined) console.error(`nobody answers ${request.method} ${path}`);
    const answer = handler === undefined ? 'network' : await handler(request);
    if (answer instanceof Response) return answer;
    if (answer === 'network') throw new TypeError('Failed to fetch');
    return Response.json(answer.body, { status: answer.status });
  });
  return requests;
}

/** An answer that comes when the test says so. */
export function later(): { answer: Promise<FakeAnswer>; come: (answer: FakeAnswer) => void } {
  const { promise, resolve } = Promise.withResolvers<FakeAnswer>();
  return { answer: promise, come: resolve };
}
