import { vi } from 'vitest';
import { DEFAULT_PERIODS } from '#domain/sending/sending-hours.ts';
import type { AnswerOf } from '#web/lib/api/call.ts';
import { useSession } from '#web/lib/session/session-store.ts';

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: unknown;
}

/** 'network': no answer. A promise: an answer that the test sends later. */
export type FakeAnswer = { readonly status: number; readonly body: unknown } | Response | 'network';
type Handler = (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>;

export const ok = (body: unknown): FakeAnswer => ({ status: 200, body });
export const refused = (status: number, message: string, code = 'refused'): FakeAnswer => ({
  status,
  body: { message, code },
});

/** The origin of a run without a recorded list. */
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

/** The rules of a group that is open, without limits. */
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

/** Returns the rules of an account, by default those without any setting. */
export const accountRuleWith = (chosen: Partial<AnswerOf<'getAccountRule'>> = {}): AnswerOf<'getAccountRule'> => ({
  undo_seconds: 0,
  per_day: null,
  per_domain: 0,
  across_groups: 0,
  export_needs_admin: 0,
  two_factor_required: 0,
  password_off: 0,
  ...chosen,
});

/** What a person without a limit of its own may send in a day. */
const NO_LIMIT = { profile_id: 1, per_day: null, ramp_from: null, ramp_start: 20, ramp_percent: 30, today: null };

/** What screens ask for beside their subject, with the answer of an account that has nothing of it. */
const USUAL: readonly (readonly [call: RegExp, answer: FakeAnswer | (() => FakeAnswer)])[] = [
  // Without a handler a test gets no stream of runs.
  [/^GET \/send_log\/events$/, 'network'],
  // Every screen requests the open runs, and its navigation the number of waiting reservations.
  [/^GET \/(send_log|reservation)\/view$/, ok({ rows: [], total: 0 })],
  // The screen of a run asks for its origin.
  [/^GET \/send_log\/\d+\/origin$/, ok(ORIGIN)],
  // The history's filter loads templates and groups.
  [/^GET \/(mail_template|sender_group)\/list$/, ok([])],
  // The list asks for the saved conditions, and the rules of sending for the closing days.
  [/^GET \/(saved_condition|closing_day)\/list$/, ok([])],
  // The strip of every screen says which mailbox is lost.
  [/^GET \/mailbox\/list$/, ok([])],
  // A sender group that lacks what the law asks for, and a sender whose domain has faults, are marked.
  [/^GET \/(legal_profile|domain_health)\/list$/, ok([])],
  // The list has a card of the first steps, which these users have put away.
  [/^GET \/first_steps$/, ok({ dismissed: 1, sample_companies: 0, steps: {} })],
  // Their bar asks whether the member is alone: these are not.
  [/^GET \/member\/list$/, ok([])],
  // The question before a real send says what the rules of its group do to it, and whether it can be taken back.
  [/^GET \/sending_rules\/\d+$/, ok(OPEN_RULES)],
  [/^GET \/account_rule$/, ok(accountRuleWith())],
  // The form of a person shows the daily limit.
  [/^GET \/sender_limit\/\d+$/, ok(NO_LIMIT)],
  // The history and the reservations request what is on hold since a restore.
  [/^GET \/restored$/, ok({ runs: 0, mails: 0, reservations: 0, over: 0 })],
  // The account's screen lists the log-ins.
  [/^GET \/session\/list$/, ok([])],
  // The bell of every screen requests the number of unread notices.
  [/^GET \/notice\/unread$/, ok({ unread: 0 })],
  // The attack list requests the runs that can be followed up.
  [/^GET \/attack_list\/follow_up_runs$/, ok({ rows: [] })],
  // No account of these tests has own fields, unless it says so.
  [/^GET \/(custom_field|tag)\/list$/, ok([])],
  [/^GET \/tag\/list$/, ok([])],
  // The attack list asks whether mails can go to persons now; an account that is still the same says nothing new.
  [/^GET \/account\/7$/, () => ok({ ...useSession.getState().current_user })],
  // The log-in asks whether its account has a company's provider.
  [/^POST \/auth\/oidc\/check$/, ok({ provider: null })],
];

/** Fakes the network below fetch. A call without a handler (`METHOD /path` below the API's base) fails the test. */
export function fakeApi(handlers: Record<string, Handler>): FakeRequest[] {
  const requests: FakeRequest[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const { pathname, searchParams } = new URL(url, 'http://kaitaku.test');
    const path = pathname.replace(/^\/api\/v1/, '');
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : (init.body ?? undefined);
    const { method = 'GET' } = init;
    const request = { method, path, query: searchParams, headers: new Headers(init.headers), body };
    const called = `${method} ${path}`;
    const handler = handlers[called];
    const usual = handler === undefined && USUAL.find(([call]) => call.test(called));
    if (usual) return answerOf(typeof usual[1] === 'function' ? usual[1]() : usual[1]);
    requests.push(request);
    // biome-ignore lint/suspicious/noConsole: the set-up fails the test for it; the client would catch a throw
    if (handler === undefined) console.error(`no handler for ${called}`);
    return answerOf(handler === undefined ? 'network' : await handler(request));
  });
  return requests;
}

function answerOf(answer: FakeAnswer): Response {
  if (answer instanceof Response) return answer;
  if (answer === 'network') throw new TypeError('Failed to fetch');
  return Response.json(answer.body, { status: answer.status });
}

/** Returns an answer that the test sends by `resolve`. */
export function deferred(): { answer: Promise<FakeAnswer>; resolve: (answer: FakeAnswer) => void } {
  const { promise, resolve } = Promise.withResolvers<FakeAnswer>();
  return { answer: promise, resolve };
}
