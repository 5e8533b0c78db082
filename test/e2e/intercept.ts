import { URLPattern } from 'node:url';
import type { CDPSession, Page } from 'playwright-core';
import { API_BASE } from '#contract/call.ts';

/** A page's call that waits for the test: the part of playwright's Route that tests use. */
export interface Route {
  readonly url: string;
  readonly method: string;
  /** Fetches the server's answer. */
  fetch(): Promise<Response>;
  fulfill(answer: Answer): Promise<void>;
  abort(): Promise<void>;
  continue(): Promise<void>;
}

interface Answer {
  /** 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json: unknown;
}

/** A path below API_BASE with `*` for any part, or a pattern that the whole address contains. */
type Calls = string | RegExp;

interface Handler {
  readonly calls: Calls;
  readonly handle: (route: Route) => unknown;
}

const handlersOf = new WeakMap<Page, Handler[]>();

/**
 * Lets the test answer these calls of a page, until letThrough().
 * page.route() would intercept all files too, and disable the browser's cache: each load would then fetch and compile
 * the client again, which is half of its CPU time.
 */
export async function intercept(page: Page, calls: Calls, handle: Handler['handle']): Promise<void> {
  const handlers = handlersOf.get(page);
  if (handlers) return void handlers.push({ calls, handle });
  const first: Handler[] = [{ calls, handle }];
  handlersOf.set(page, first);
  await interceptBy(first, page);
}

export function letThrough(page: Page, calls: Calls): void {
  const handlers = handlersOf.get(page) ?? [];
  const others = handlers.filter((handler) => String(handler.calls) !== String(calls));
  handlers.splice(0, handlers.length, ...others);
}

const isOf = (calls: Calls, url: string): boolean =>
  typeof calls === 'string' ? new URLPattern({ pathname: API_BASE + calls }).test(url) : calls.test(url);

/** Calls the latest handler of a call; the server answers calls without one. */
async function interceptBy(handlers: readonly Handler[], page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const route = routeOf(session, requestId, request);
    const handler = handlers.findLast(({ calls }) => isOf(calls, request.url));
    void (handler ? handler.handle(route) : route.continue());
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: `*${API_BASE}/*` }] });
}

interface PausedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly postData?: string;
}

function routeOf(session: CDPSession, requestId: string, request: PausedRequest): Route {
  const { url, method, headers, postData: body = null } = request;
  // The page may have cancelled the call meanwhile, or have been closed.
  const settled = (reply: Promise<unknown>) =>
    reply.then(
      () => undefined,
      () => undefined,
    );
  return {
    url,
    method,
    fetch: () => fetch(url, { method, headers, body }),
    fulfill: ({ status: responseCode = 200, headers: more, json }) => {
      const named = Object.entries({ 'content-type': 'application/json', ...more });
      const responseHeaders = named.map(([name, value]) => ({ name, value }));
      const answer = { responseCode, responseHeaders, body: Buffer.from(JSON.stringify(json)).toString('base64') };
      return settled(session.send('Fetch.fulfillRequest', { requestId, ...answer }));
    },
    abort: () => settled(session.send('Fetch.failRequest', { requestId, errorReason: 'Failed' })),
    continue: () => settled(session.send('Fetch.continueRequest', { requestId })),
  };
}
