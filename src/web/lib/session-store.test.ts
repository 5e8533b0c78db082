import { afterEach, expect, it, vi } from 'vitest';
import { SESSION_KEY } from './session-store.ts';

const TANAKA = { id: 7, email: 'tanaka@example.com', name: '田中 直樹', company: '株式会社架空商事' };
const SATO = { ...TANAKA, id: 8, email: 'sato@example.com', name: '佐藤 花子' };

/** Starts a session with unsaved text, and returns the store with a reader of what it has stored. */
async function typeSomething() {
  vi.resetModules();
  const store = await import('./session-store.ts');
  const { setTypedSettings } = await import('#web/features/attack-list/attack-list-state.ts');
  store.startSession('token-1', TANAKA);
  store.setDraft('remarks.1.1', '書きかけ');
  setTypedSettings({ days: '多い', testTo: 'a@example.com', testLimit: '10' });
  const stored = () => sessionStorage.getItem(SESSION_KEY) ?? '';
  expect(stored()).toMatch(/token-1.*書きかけ/);
  return { ...store, stored };
}

afterEach(() => {
  sessionStorage.clear();
  vi.resetModules();
});

it('keeps unsaved text over an expired session in memory alone, for the same user', async () => {
  const { releaseAll, startSession, useSession, stored } = await typeSomething();
  releaseAll('expired', '期限切れ');
  expect(useSession.getState()).toMatchObject({ token: null, current_user: null, drafts: {}, typed_settings: null });
  expect(stored()).not.toMatch(/token-1|書きかけ|多い|tanaka/);
  expect(JSON.stringify(useSession.getState())).not.toContain('token-1');
  startSession('token-2', TANAKA);
  expect(useSession.getState()).toMatchObject({ token: 'token-2', message: null, left_over: null });
  expect(stored()).toMatch(/token-2.*書きかけ.*多い/);
});

it('keeps it for a user who has confirmed the new address meanwhile', async () => {
  const { releaseAll, startSession, useSession } = await typeSomething();
  useSession.setState({ current_user: { ...TANAKA, email_before_confirmation: 'New@example.com' } });
  releaseAll('expired');
  startSession('token-2', { ...TANAKA, email: 'new@example.com' });
  expect(useSession.getState().drafts).toEqual({ 'remarks.1.1': '書きかけ' });
});

it.each([
  ['another user', 'expired', [SATO, TANAKA]],
  ['another person of the account', 'expired', [{ ...SATO, id: TANAKA.id }, TANAKA]],
  ['anybody after a log-out', 'logged-out', [TANAKA]],
] as const)('gives no unsaved text to %s', async (_whom, end, users) => {
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
  ['during a session', false],
  ['between an expired session and the next', true],
])('gives a slice its values when its feature loads %s', async (_when, isExpired) => {
  vi.resetModules();
  const { releaseAll, startSession } = await import('./session-store.ts');
  startSession('token-1', TANAKA);
  if (isExpired) releaseAll('expired');
  const { useAttackList } = await import('#web/features/attack-list/attack-list-state.ts');
  if (isExpired) startSession('token-2', TANAKA);
  expect(useAttackList.getState().attack_list_settings.test_mode.mail_to).toBe(TANAKA.email);
});

it('keeps text in memory where the browser has no room for it', async () => {
  const { setDraft, stored } = await typeSomething();
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  setDraft('remarks.1.1', '長い'.repeat(5));
  vi.restoreAllMocks();
  const { useSession } = await import('./session-store.ts');
  expect(useSession.getState().drafts).toEqual({ 'remarks.1.1': '長い'.repeat(5) });
  // No older text is restored in its place.
  expect(stored()).toBe('');
});
