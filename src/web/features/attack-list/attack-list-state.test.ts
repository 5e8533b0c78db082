import { expect, it } from 'vitest';
import { USER } from '#test/web/samples.ts';
import { usePaging } from '#web/lib/screen/paging-state.ts';
import { SESSION_KEY, sessionSlice, startSession, useSession } from '#web/lib/session/session-store.ts';
import { readAttackList, useAttackList } from './attack-list-state.ts';

it('reads the settings that version 1 stored, with defaults for later ones', async () => {
  const test_mode = { mail_to: 'qa@example.com', limit_count: 3 };
  const attack_list_settings = { days_from_lastday: 14, limit_count: 300, is_test_mode: false, test_mode };
  const stored = { version: 1, state: { token: 'token-1', pagenate_num: 4, attack_list_settings } };
  sessionStorage.setItem(SESSION_KEY, JSON.stringify(stored));
  // The page opens before the feature loads, as in the client.
  await useSession.persist.rehydrate();
  const loaded = sessionSlice(readAttackList);
  expect(usePaging.getState()).toMatchObject({ token: 'token-1', pagenate_num: 4, pagenate_count: 50 });
  expect(loaded.getState().attack_list_settings).toEqual({
    ...attack_list_settings,
    follow_up: null,
    send_to: null,
    has_candidate_dates: false,
    candidate_dates: [],
    is_reservation_mode: true,
    send_at: null,
  });
});

it('starts with test mails to the user', () => {
  startSession('token-1', USER);
  expect(useAttackList.getState().attack_list_settings).toMatchObject({
    is_test_mode: true,
    test_mode: { mail_to: USER.email },
  });
});
