import { expect } from 'vitest';
import { idOf, list, type Step, type Story } from './axios-step.ts';

/** The steps of test/axios-story.ts about hours, closing days and limits. */

const NOT_AFFECTED = { affected: [], affected_count: 0, unchecked: 0 };
const PERIODS = [{ weekday: 1, opens: 540, closes: 1080 }];
const profileIdOf = ({ answers }: Story) =>
  (answers.get('GET /sender_profile/list') as unknown as readonly { readonly id: number }[])[0]?.id;
const closingOf = (story: Story) => idOf(story, 'POST /closing_day', 'id');

export const RULES_STEPS: readonly Step[] = [
  [
    'PUT /sending_rules/:sender_group_id',
    ({ senderGroupId }) => [`/sending_rules/${senderGroupId}`, { version: 0, update_info: { periods: PERIODS } }],
    () => ({ status: 'updated', version: 1, ...NOT_AFFECTED }),
  ],
  [
    'POST /closing_day',
    () => ['/closing_day', { add_info: { first_day: '2026-12-01', last_day: '2026-12-01', name: '創立記念日' } }],
    () => ({ status: 'added', id: expect.any(Number), ...NOT_AFFECTED }),
  ],
  [
    'PUT /closing_day/:id',
    (story) => [`/closing_day/${closingOf(story)}`, { version: 1, update_info: { yearly: 1 } }],
    () => ({ status: 'updated', version: 2, ...NOT_AFFECTED }),
  ],
  [
    'POST /closing_day/preset',
    () => ['/closing_day/preset', { preset: 'new_year', year: 2026 }],
    () => ({ status: 'added', added: 1, skipped: 0, ...NOT_AFFECTED }),
  ],
  [
    'POST /closing_day/import',
    () => ['/closing_day/import', { rows: [{ day: '2026/12/1', name: '創立記念日' }] }],
    () => ({ status: 'no-added', added: 0, skipped: 1, ...NOT_AFFECTED }),
  ],
  list(
    '/closing_day/list',
    () => ({ active: 1 }),
    ['first_day', 'last_day', 'name', 'yearly'],
    () => [
      { first_day: '2026-12-01', last_day: '2026-12-01', name: '創立記念日', yearly: 1 },
      { first_day: '2026-12-29', last_day: '2027-01-03', name: '年末年始', yearly: 0 },
    ],
  ),
  [
    'PUT /sender_limit/:profile_id',
    (story) => [`/sender_limit/${profileIdOf(story)}`, { update_info: { per_day: 200, ramp_from: '2026-11-01' } }],
    () => ({ status: 'updated', today: { limit: 20, used: 0, step: 1, full_on: 10 } }),
  ],
  [
    'GET /sender_limit/:profile_id',
    (story) => [`/sender_limit/${profileIdOf(story)}`],
    (story) => ({
      profile_id: profileIdOf(story),
      per_day: 200,
      ramp_from: '2026-11-01',
      ramp_start: 20,
      ramp_percent: 30,
      today: { limit: 20, used: 0, step: 1, full_on: 10 },
    }),
  ],
  [
    'GET /sending_rules/:sender_group_id',
    ({ senderGroupId }) => [`/sending_rules/${senderGroupId}`],
    ({ senderGroupId }) =>
      expect.objectContaining({
        sender_group_id: senderGroupId,
        periods: PERIODS,
        on_holidays: 1,
        outside: 'warn',
        version: 1,
        // NOW is a Wednesday.
        now: {
          open: 0,
          reason: '水曜日',
          closes_at: null,
          next_open_at: '2026/11/23 09:00:00',
          left_today: null,
        },
      }),
  ],
];
