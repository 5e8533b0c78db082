import { afterEach, expect, it, vi } from 'vitest';
import { SESSION_KEY } from './session-store.ts';

const TANAKA = { id: 7, email: 'tanaka@example.com', name: '田中 直樹', company: '株式会社架空商事' };
const SATO = { ...TANAKA, id: 8, email: 'sato@example.com', name: '佐藤 花子' };

/** A session in which something was typed, and what a new page would find of it. */
async function typeSomething() {
  vi.resetModules();
  const store = await import('./session-store.ts');
  store.startSession('token-1', TANAKA);
  store.setDraft('remarks.1.1', '書きかけ');
  store.keepTypedSettings({ days: '多い', testTo: 'a@example.com', testLimit: '10' });
  const stored = () => sessionStorage.getItem(SESSION_KEY) ?? '';
  expect(stored()).toMatch(/token-1.*書きかけ/);
  return { ...store, stored };
}

afterEach(() => {
  sessionStorage.clear();
  vi.resetModules();
});

async function openWith(stored: unknown) {
  sessionStorage.setItem(SESSION_KEY, JSON.stringify(stored));
  vi.resetModules();
  const { useSession } = await import('./session-store.ts');
  return useSession.getState();
}

it('takes up what version 1 left, with defaults for what it did not know', async () => {
  const test_mode = { mail_to: 'qa@example.com', limit_count: 3 };
  const attack_list_settings = { days_from_lastday: 14, limit_count: 300, is_test_mode: false, test_mode };
  const session = await openWith({ version: 1, state: { token: 'token-1', pagenate_num: 4, attack_list_settings } });
  expect(session).toMatchObject({ token: 'token-1', pagenate_num: 4, pagenate_count: 50 });
  expect(session.attack_list_settings).toEqual({
    ...attack_list_settings,
    has_candidate_dates: false,
    candidate_dates: [],
    is_reservation_mode: true,
    send_at: null,
  });
});

it('keeps what was typed over the end of a session in memory alone, for the same user', async () => {
  const { releaseAll, startSession, useSession, stored } = await typeSomething();
  releaseAll('expired', '期限切れ');
  expect(useSession.getState()).toMatchObject({ token: null, current_user: null, drafts: {}, typed_settings: null });
  expect(stored()).not.toMatch(/token-1|書きかけ|多い|tanaka/);
  expect(JSON.stringify(useSession.getState())).not.toContain('token-1');
  startSession('token-2', TANAKA);
  expect(useSession.getState()).toMatchObject({ token: 'token-2', message: null, left_over: null });
  expect(stored()).toMatch(/token-2.*多い.*書きかけ/);
});

it.each([
  ['another user', 'expired', [SATO, TANAKA]],
  ['anybody after a log-out', 'logged-out', [TANAKA]],
] as const)('gives nothing of it to %s', async (_whom, end, users) => {
  const { releaseAll, startSession, useSession } = await typeSomething();
  releaseAll(end);
  for (const user of users) {
    startSession('token-2', user);
    expect(useSession.getState()).toMatchObject({ current_user: user, drafts: {}, typed_settings: null });
    expect(JSON.stringify(useSession.getState())).not.toMatch(/書きかけ|多い/);
    releaseAll('logged-out');
  }
});

it.each([
  [true, 20],
  [false, 50],
])('begins with pages for the screen: a phone %s has %d rows', async (matches, rows) => {
  const { matchMedia } = window;
  vi.stubGlobal('matchMedia', () => ({ matches }));
  const { startSession } = await import('./session-store.ts');
  startSession('token-1', TANAKA);
  const { useSession } = await import('./session-store.ts');
  vi.stubGlobal('matchMedia', matchMedia);
  expect(useSession.getState().pagenate_count).toBe(rows);
});

it('goes on where the browser has no room for what is typed', async () => {
  const { setDraft, stored } = await typeSomething();
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  setDraft('remarks.1.1', '長い'.repeat(5));
  vi.restoreAllMocks();
  const { useSession } = await import('./session-store.ts');
  expect(useSession.getState().drafts).toEqual({ 'remarks.1.1': '長い'.repeat(5) });
  // Nothing older comes back in its place.
  expect(stored()).toBe('');
});
