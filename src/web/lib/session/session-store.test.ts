import { expect, it, vi } from 'vitest';
import { setTypedSettings } from '#web/features/attack-list/attack-list-state.ts';
import {
  type CurrentUser,
  releaseAll,
  SESSION_KEY,
  sessionSlice,
  setDraft,
  startSession,
  useSession,
} from './session-store.ts';

const TANAKA: CurrentUser = {
  id: 7,
  member: { id: 1, role: 'admin' },
  email: 'tanaka@example.com',
  name: '田中 直樹',
  company: '株式会社架空商事',
};
const SATO: CurrentUser = { ...TANAKA, id: 8, email: 'sato@example.com', name: '佐藤 花子' };

/** Starts a session with unsaved text. */
function typeSomething(): void {
  startSession('token-1', TANAKA);
  setDraft('remarks.1.1', '書きかけ');
  setTypedSettings({ days: '多い', testTo: 'a@example.com', testLimit: '10' });
  expect(stored()).toMatch(/token-1.*書きかけ/);
}

const stored = () => sessionStorage.getItem(SESSION_KEY) ?? '';

it('keeps unsaved text of an expired session only in memory, for the same user', () => {
  typeSomething();
  releaseAll('expired', '期限切れ');
  expect(useSession.getState()).toMatchObject({ token: null, current_user: null, drafts: {}, typed_settings: null });
  expect(stored()).not.toMatch(/token-1|書きかけ|多い|tanaka/);
  expect(JSON.stringify(useSession.getState())).not.toContain('token-1');
  startSession('token-2', TANAKA);
  expect(useSession.getState()).toMatchObject({ token: 'token-2', message: null, left_over: null });
  expect(stored()).toMatch(/token-2.*書きかけ.*多い/);
});

it('keeps it for a user who has confirmed the new address meanwhile', () => {
  typeSomething();
  useSession.setState({ current_user: { ...TANAKA, email_before_confirmation: 'New@example.com' } });
  releaseAll('expired');
  startSession('token-2', { ...TANAKA, email: 'new@example.com' });
  expect(useSession.getState().drafts).toEqual({ 'remarks.1.1': '書きかけ' });
});

it.each([
  ['another user', 'expired', [SATO, TANAKA]],
  ['a colleague who has the address now', 'expired', [{ ...TANAKA, member: { id: 2, role: 'admin' } }]],
  ['another person of the account', 'expired', [{ ...SATO, id: TANAKA.id, member: { id: 2, role: 'admin' } }, TANAKA]],
  ['anybody after a log-out', 'logged-out', [TANAKA]],
] as const)('gives no unsaved text to %s', (_whom, end, users) => {
  typeSomething();
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
])('gives a slice its values when its feature loads %s', (when, isExpired) => {
  startSession('token-1', TANAKA);
  if (isExpired) releaseAll('expired');
  // Slices are never removed, so each test has its own key.
  const useLate = sessionSlice<Record<string, string>>((kept, user) => ({ [when]: kept[when] ?? user?.email ?? '' }));
  if (isExpired) startSession('token-2', TANAKA);
  expect(useLate.getState()[when]).toBe(TANAKA.email);
});

it('keeps text in memory if the storage of the browser is full', () => {
  typeSomething();
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  setDraft('remarks.1.1', '長い'.repeat(5));
  expect(useSession.getState().drafts).toEqual({ 'remarks.1.1': '長い'.repeat(5) });
  // The older text must not be restored in its place.
  expect(stored()).toBe('');
});
