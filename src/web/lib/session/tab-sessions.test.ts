import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { type CurrentUser, releaseAll, setDraft, startSession, useSession } from './session-store.ts';
import { askTabs, followOffers, joinTabs, type Offer, readAnswer, stopAsking, takeEarly } from './tab-sessions.ts';

const ID = 'a'.repeat(32);
const TOKEN = 'T'.repeat(43);
const OTHER_TOKEN = 'U'.repeat(43);
const TANAKA: CurrentUser = {
  id: 7,
  member: { id: 1, role: 'admin' },
  email: 'tanaka@example.com',
  name: '田中 直樹',
  company: '株式会社架空商事',
  email_before_confirmation: null,
};

const answer = (token = TOKEN, user: CurrentUser = TANAKA) => ({
  answer: ID,
  token,
  member: user.member?.id ?? null,
  current_user: user,
  current_sender_group: 3,
  current_sender: null,
});

/** The tab's channel. What the tab posts is collected; `hear` delivers a message of another tab. */
let posted: Record<string, unknown>[] = [];
let hear: (data: unknown) => void = () => undefined;
let leave: () => void = () => undefined;

class FakeChannel {
  onmessage: ((event: { readonly data: unknown }) => void) | null = null;
  constructor() {
    hear = (data) => this.onmessage?.({ data });
  }
  postMessage(data: Record<string, unknown>): void {
    posted.push(data);
  }
}

const newChannel = () => new FakeChannel() as unknown as BroadcastChannel;

beforeEach(() => {
  posted = [];
  vi.useFakeTimers();
  // Another file may have asked.
  stopAsking();
  leave = joinTabs(newChannel());
});
afterEach(() => leave());

/** Asks, and delivers answers. @returns the offer; null: of several members; undefined: the question is open */
async function asked(answers: readonly object[]): Promise<Offer | null | undefined> {
  let result: Offer | null | undefined;
  const stop = followOffers((offer) => {
    result = offer;
  });
  askTabs();
  await answered(answers);
  stop();
  return result;
}

/** Delivers answers to the last question, and waits for the choice. */
async function answered(answers: readonly object[]): Promise<void> {
  const { ask } = posted.at(-1) ?? {};
  expect(ask).toMatch(/^[0-9a-f]{32}$/);
  for (const one of answers) hear({ ...one, answer: ask });
  await vi.advanceTimersByTimeAsync(50);
}

test('a tab with a session answers with what is needed to begin, and no more', () => {
  startSession(TOKEN, { ...TANAKA, created_at: '2026/11/29' } as CurrentUser);
  useSession.setState({ current_sender_group: 3, current_sender: null, filter: { address: '東京' } } as object);
  setDraft('remarks.1.1', '書きかけ');
  hear({ ask: ID });
  expect(posted).toStrictEqual([answer()]);
  expect(readAnswer(posted[0], ID)).toMatchObject({ token: TOKEN, current_user: TANAKA });
});

test.each([[{ ask: 'x' }], [{ ask: ID, more: 1 }], [{ ask: 5 }], ['ask'], [null], [undefined], [[ID]]])(
  'no tab answers %j',
  (ask) => {
    startSession(TOKEN, TANAKA);
    hear(ask);
    expect(posted).toStrictEqual([]);
  },
);

test('a tab without a session does not answer', () => {
  hear({ ask: ID });
  expect(posted).toStrictEqual([]);
});

const user = (change: object) => ({ ...answer(), current_user: { ...TANAKA, ...change } });
test.each<[string, unknown]>([
  ['another type', 'answer'],
  ['nothing', null],
  ['a list', [answer()]],
  ['another ask', { ...answer(), answer: 'b'.repeat(32) }],
  ['a later version', { ...answer(), version: 2 }],
  ['an earlier version', { answer: ID, token: TOKEN }],
  ['1 MB', user({ name: 'あ'.repeat(2 ** 20) })],
  ['1 MB in a field of its own', { ...answer(), drafts: 'x'.repeat(2 ** 20) }],
  ['a short token', { ...answer(), token: 'T'.repeat(42) }],
  ['a token with a line break', { ...answer(), token: `${'T'.repeat(42)}\n` }],
  ['a token of another type', { ...answer(), token: [TOKEN] }],
  ['another member than its user', { ...answer(), member: 2 }],
  ['a user without an id', user({ id: undefined })],
  ['an id as text', user({ id: '7' })],
  ['a user with more fields', user({ drafts: {} })],
  ['a role that does not exist', user({ member: { id: 1, role: 'root' } })],
  ['a group that is no id', { ...answer(), current_sender_group: '3' }],
  ['a sender that is no id', { ...answer(), current_sender: -1 }],
])('an answer that is %s is ignored', (_what, data) => {
  expect(readAnswer(data, ID)).toBeNull();
});

test('an answer of a server that names no member is read', () => {
  const { member: _member, ...older } = TANAKA;
  expect(readAnswer({ ...answer(TOKEN, older), member: null }, ID)?.current_user).toStrictEqual(older);
});

test('the session of one answer is taken, with its group and as one of another tab', async () => {
  const offer = await asked([answer()]);
  expect(useSession.getState().token).toBeNull();
  expect(offer?.take()).toBe(true);
  expect(useSession.getState()).toMatchObject({
    token: TOKEN,
    current_user: TANAKA,
    current_sender_group: 3,
    handed_over: true,
  });
});

test('two sessions of one member are one answer: the first', async () => {
  (await asked([answer(), answer(OTHER_TOKEN)]))?.take();
  expect(useSession.getState().token).toBe(TOKEN);
});

test.each([
  ['another account', { ...TANAKA, id: 8, member: { id: 1, role: 'admin' as const } }],
  ['another member of the account', { ...TANAKA, member: { id: 2, role: 'admin' as const } }],
])('beside a tab of %s none is taken', async (_whom, other) => {
  expect(await asked([answer(), answer(OTHER_TOKEN, other)])).toBeNull();
});

test('an expired session takes no session of a colleague, whose mails would have another name', async () => {
  startSession(TOKEN, TANAKA);
  setDraft('remarks.1.1', '書きかけ');
  releaseAll('expired');
  expect(await asked([answer(OTHER_TOKEN, { ...TANAKA, member: { id: 2, role: 'admin' } })])).toBeNull();
  (await asked([answer(OTHER_TOKEN)]))?.take();
  expect(useSession.getState()).toMatchObject({ token: OTHER_TOKEN, drafts: { 'remarks.1.1': '書きかけ' } });
});

test('a token that was refused is not taken again, but a later answer with another is', async () => {
  (await asked([answer()]))?.take();
  releaseAll('expired');
  expect(await asked([answer()])).toBeUndefined();
  expect((await asked([answer(), answer(OTHER_TOKEN)]))?.take()).toBe(true);
  expect(useSession.getState().token).toBe(OTHER_TOKEN);
});

test('the server is asked whether a session is alive, and once about a dead one', async () => {
  const calls = fakeApi({ 'GET /account/7': () => refused(401, 'ログインしてください。', 'unauthorized') });
  const offer = await asked([answer()]);
  expect(await offer?.isAlive()).toBe(false);
  expect(offer?.take()).toBe(false);
  expect(await asked([answer()])).toBeUndefined();
  expect(calls.map(({ headers }) => headers.get('Authorization'))).toStrictEqual([`Bearer ${TOKEN}`]);
  fakeApi({ 'GET /account/7': () => refused(500, '', 'unexpected') });
  expect(await (await asked([answer(OTHER_TOKEN)]))?.isAlive()).toBe(false);
  fakeApi({ 'GET /account/7': () => ok(TANAKA) });
  const later = await asked([answer(OTHER_TOKEN)]);
  expect([await later?.isAlive(), later?.take()]).toStrictEqual([true, true]);
});

test('a session that ends between the answer and its use is not taken', async () => {
  const offer = await asked([answer()]);
  hear({ ended: TOKEN });
  expect(offer?.take()).toBe(false);
  expect(useSession.getState().token).toBeNull();
});

test('a session that has ended during the choice leaves the question open for a later answer', async () => {
  const followed = vi.fn();
  followOffers(followed);
  askTabs();
  const { ask } = posted.at(-1) ?? {};
  hear({ ...answer(), answer: ask });
  hear({ ended: TOKEN });
  await vi.advanceTimersByTimeAsync(50);
  expect(followed).not.toHaveBeenCalled();
  await answered([answer(OTHER_TOKEN)]);
  expect(followed).toHaveBeenCalledOnce();
  expect(followed.mock.lastCall?.[0]?.take()).toBe(true);
  expect(useSession.getState().token).toBe(OTHER_TOKEN);
});

test('the first screen takes the answer; what comes after the timeout is for the log-in', async () => {
  const shown = vi.fn();
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, 200));
  void takeEarly(timeout).then(shown);
  await answered([answer()]);
  expect(shown).toHaveBeenCalledOnce();
  expect(useSession.getState()).toMatchObject({ token: TOKEN, handed_over: true });
  releaseAll('expired');
  void takeEarly(timeout).then(shown);
  await vi.advanceTimersByTimeAsync(200);
  await answered([answer(OTHER_TOKEN)]);
  expect(useSession.getState().token).toBeNull();
  const followed = vi.fn();
  followOffers(followed)();
  followOffers(followed);
  expect(followed).toHaveBeenCalledOnce();
  expect(followed.mock.lastCall?.[0]?.take()).toBe(true);
});

const SUZUKI: CurrentUser = { ...TANAKA, member: { id: 2, role: 'sales' }, email: 'suzuki@example.com' };

test('a slower tab of another member ends what was taken, and takes back what was offered', async () => {
  const offer = await asked([answer()]);
  const { ask } = posted.at(-1) ?? {};
  expect(offer?.take()).toBe(true);
  hear({ ...answer(OTHER_TOKEN), answer: ask });
  expect(useSession.getState().token).toBe(TOKEN);
  hear({ ...answer(OTHER_TOKEN, SUZUKI), answer: ask });
  expect(useSession.getState().token).toBeNull();
  // The other tabs of the session live on.
  expect(posted.some((message) => 'ended' in message)).toBe(false);

  useSession.setState({ left_over: null });
  const next = await asked([answer('V'.repeat(43))]);
  hear({ ...answer(OTHER_TOKEN, SUZUKI), answer: posted.at(-1)?.ask });
  expect(next?.take()).toBe(false);
});

test('nobody gets an answer to a question that is no longer open', async () => {
  askTabs();
  stopAsking();
  await answered([answer()]);
  let offers = 0;
  followOffers(() => {
    offers += 1;
  })();
  expect(offers).toBe(0);
});

test('the first screen waits for nothing where two members are logged in', async () => {
  const shown = vi.fn();
  void takeEarly(new Promise(() => undefined)).then(shown);
  await answered([answer(), answer(OTHER_TOKEN, { ...TANAKA, member: { id: 2, role: 'admin' } })]);
  expect(shown).toHaveBeenCalledOnce();
  expect(useSession.getState().token).toBeNull();
});

test('who has logged in meanwhile gets no late answer after a log-out', async () => {
  askTabs();
  const ask = posted.at(-1);
  startSession(OTHER_TOKEN, TANAKA);
  releaseAll('logged-out');
  const followed = vi.fn();
  followOffers(followed);
  hear({ ...answer(), answer: ask?.ask });
  await vi.advanceTimersByTimeAsync(50);
  expect(followed).not.toHaveBeenCalled();
});

test('a question before the tab has joined is posted when it joins', () => {
  leave();
  askTabs();
  expect(posted).toStrictEqual([]);
  leave = joinTabs(newChannel());
  expect(posted).toStrictEqual([{ ask: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
});

test('a session replaces none', async () => {
  const offer = await asked([answer()]);
  startSession(OTHER_TOKEN, TANAKA);
  expect(offer?.take()).toBe(false);
  expect(useSession.getState()).toMatchObject({ token: OTHER_TOKEN, handed_over: false });
});

test('a log-out ends the tabs with its token as a 401 does, and no other', () => {
  startSession(TOKEN, TANAKA);
  setDraft('remarks.1.1', '書きかけ');
  hear({ ended: OTHER_TOKEN });
  hear({ ended: [TOKEN] });
  hear({ ended: TOKEN, more: 1 });
  expect(useSession.getState().token).toBe(TOKEN);
  hear({ ended: TOKEN });
  expect(useSession.getState()).toMatchObject({ token: null, message: expect.stringContaining('有効期限') });
  expect(useSession.getState().left_over?.drafts).toStrictEqual({ 'remarks.1.1': '書きかけ' });
  // It was not this tab that ended it.
  expect(posted).toStrictEqual([]);
});
