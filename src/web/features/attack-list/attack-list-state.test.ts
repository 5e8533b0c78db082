import { expect, it, vi } from 'vitest';
import { SESSION_KEY } from '#web/lib/session-store.ts';

it('reads the settings that version 1 stored, with defaults for later ones', async () => {
  const test_mode = { mail_to: 'qa@example.com', limit_count: 3 };
  const attack_list_settings = { days_from_lastday: 14, limit_count: 300, is_test_mode: false, test_mode };
  const stored = { version: 1, state: { token: 'token-1', pagenate_num: 4, attack_list_settings } };
  sessionStorage.setItem(SESSION_KEY, JSON.stringify(stored));
  vi.resetModules();
  const { usePaging } = await import('#web/lib/paging-state.ts');
  const { useAttackList } = await import('./attack-list-state.ts');
  expect(usePaging.getState()).toMatchObject({ token: 'token-1', pagenate_num: 4, pagenate_count: 50 });
  expect(useAttackList.getState().attack_list_settings).toEqual({
    ...attack_list_settings,
    has_candidate_dates: false,
    candidate_dates: [],
    is_reservation_mode: true,
    send_at: null,
  });
});
