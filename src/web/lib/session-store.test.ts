import { afterEach, expect, it, vi } from 'vitest';
import { SESSION_KEY } from './session-store.ts';

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
