import { vi } from 'vitest';
import { DEFAULT_PERIODS } from '#domain/sending/sending-hours.ts';
import type { AnswerOf } from '#web/lib/api/call.ts';

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: unknown;
}

/** 'network': no answer at all. A promise: an answer that the test sends later. */
export type FakeAnswer = { readonly status: number; readonly body: unknown } | Response | 'network';
type Handler = (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>;

export const ok = (body: unknown): FakeAnswer => ({ status: 200, body });
export const refused = (status: number, message: string, code = 'refused'): FakeAnswer => ({
  status,
  body: { message, code },
});

/** A run whose list nobody recorded. */
const ORIGIN = {
  member_name: '田中 直樹',
  sender_group_id: 4,
  sender_id: 2,
  from: { name: '田中 直樹', address: 'tanaka@example.com' },
  days_from_lastday: 7,
  list_conditions: null,
  companies_chosen: false,
  left_out: [],
};

/** A group that is open, without limits. */
export const OPEN_RULES = {
  sender_group_id: 4,
  periods: DEFAULT_PERIODS,
  on_holidays: 1,
  outside: 'warn',
  version: 0,
  closing_days: [],
  limits: [],
  now: {
    open: 1,
    reason: null,
    closes_at: '2026/11/27 21:00:00',
    next_open_at: '2026/11/27 10:00:00',
    left_today: null,
  },
};

/** The rules of an account that has chosen none. */
export const accountRuleWith = (chosen: Partial<AnswerOf<'getAccountRule'>> = {}): AnswerOf<'getAccountRule'> => ({
  undo_seconds: 0,
  per_day: null,
  per_domain: 0,
  across_groups: 0,
  ...chosen,
});

/** Fakes the network below fetch. A call that no handler (`METHOD /path` below the API's base) knows fails the test. */
export function fakeApi(handlers: Record<string, Handler>): FakeRequest[] {
  const requests: FakeRequest[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const { pathname, searchParams } = new URL(url, 'http://kaitaku.test');
    const path = pathname.replace(/^\/api\/v1/, '');
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : (init.body ?? undefined);
    const request = {
      method: init.method ?? 'GET',
      path,
      query: searchParams,
      headers: new Headers(init.headers),
      body,
    };
    const handler = handlers[`${request.method} ${path}`];
    // Tests without a handler get no stream of runs.
    if (handler === undefined && path === '/send_log/events') throw new TypeError('Failed to fetch');
    // Every screen requests the open runs.
    if (handler === undefined && path === '/send_log/view') return Response.json({ rows: [], total: 0 });
    // So does the screen of a run ask for its origin.
    if (handler === undefined && /^\/send_log\/\d+\/origin$/.test(path)) return Response.json(ORIGIN);
    // The history can be narrowed to a template or a group.
    if (handler === undefined && path === '/mail_template/list') return Response.json([]);
    if (handler === undefined && path === '/sender_group/list') return Response.json([]);
    // The question before a real send says what the rules of its group do to it.
    if (handler === undefined && /^GET \/sending_rules\/\d+$/.test(`${request.method} ${path}`))
      return Response.json(OPEN_RULES);
    // The form of a person shows what it may send in a day.
    if (handler === undefined && /^GET \/sender_limit\/\d+$/.test(`${request.method} ${path}`))
      return Response.json({
        profile_id: Number(path.split('/').at(-1)),
        per_day: null,
        ramp_from: null,
        ramp_start: 20,
        ramp_percent: 30,
        today: null,
      });
    // The rules of sending list the closing days.
    if (handler === undefined && `${request.method} ${path}` === 'GET /closing_day/list') return Response.json([]);
    // The list asks for the saved conditions.
    if (handler === undefined && path === '/saved_condition/list') return Response.json([]);
    // So does its card of the first steps, which these users have put away.
    if (handler === undefined && path === '/first_steps')
      return Response.json({ dismissed: 1, sample_companies: 0, steps: {} });
    // The strip of every screen asks whether a sender group lacks what the law asks for.
    if (handler === undefined && path === '/legal_profile/list') return Response.json([]);
    // The navigation of every screen asks for the number of waiting reservations.
    if (handler === undefined && path === '/reservation/view') return Response.json({ rows: [], total: 0 });
    // The history and the reservations ask what waits since a restore.
    if (handler === undefined && `${request.method} ${path}` === 'GET /restored')
      return Response.json({ runs: 0, mails: 0, reservations: 0, over: 0 });
    // The bell of every screen asks for the number of unread notices.
    if (handler === undefined && path === '/notice/unread') return Response.json({ unread: 0 });
    // The chosen sender is marked if its domain has faults.
    if (handler === undefined && path === '/domain_health/list') return Response.json([]);
    // The question before a real send says whether it can be taken back.
    if (handler === undefined && `${request.method} ${path}` === 'GET /account_rule')
      return Response.json(accountRuleWith());
    // The attack list asks which runs can be followed up.
    if (handler === undefined && path === '/attack_list/follow_up_runs') return Response.json({ rows: [] });
    requests.push(request);
    // biome-ignore lint/suspicious/noConsole: the set-up fails the test for it; the client would catch a throw
    if (handler === undefined) console.error(`no handler for ${request.method} ${path}`);
    const answer = handler === undefined ? 'network' : await handler(request);
    if (answer instanceof Response) return answer;
    if (answer === 'network') throw new TypeError('Failed to fetch');
    return Response.json(answer.body, { status: answer.status });
  });
  return requests;
}

/** An answer that the test sends by `resolve`. */
export function deferred(): { answer: Promise<FakeAnswer>; resolve: (answer: FakeAnswer) => void } {
  const { promise, resolve } = Promise.withResolvers<FakeAnswer>();
  return { answer: promise, resolve };
}
