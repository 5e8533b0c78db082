import { expect } from 'vitest';
import { idOf, type Step, type Story } from './axios-step.ts';
import { reservationBody, SEND_AT } from './reservations.ts';

const idIn = (story: Story) => idOf(story, 'POST /reservation', 'id');

const LATER = '2026/11/20 10:30:00';

const row = (story: Story, version: number, send_at: string) => ({
  id: idIn(story),
  send_at,
  // By the database's clock, which is not the story's.
  state: expect.any(String),
  refused_reason: null,
  put_off_until: null,
  sender: {
    id: story.senderId,
    subject: expect.any(String),
    person_in_charge: expect.any(String),
    template_name: expect.any(String),
  },
  group: { id: story.senderGroupId, group_name: expect.any(String) },
  targets: 2,
  leaving: { suppressed: 0, replied: 0 },
  maybe_refused: 0,
  datetime_list: [{ date: '2026-11-24', start_time: '9:00', end_time: '18:00' }],
  test_send_mode: 0,
  member_name: expect.any(String),
  changed_by: expect.any(String),
  changed_at: expect.any(String),
  version,
  send_log_id: null,
});

/** What a client does on the screen of all reservations: it looks, and moves one. */
export const RESERVATION_STEPS: readonly Step[] = [
  [
    'GET /reservation/view',
    ({ senderGroupId: sender_group_id }) => [
      '/reservation/view',
      null,
      { params: { sender_group_id, state: 'all', sort: 'send_at', order: 'asc', search: undefined } },
    ],
    (story) => ({ rows: [row(story, 2, SEND_AT)], total: 1 }),
  ],
  [
    'GET /reservation/:id',
    (story) => [`/reservation/${idIn(story)}`],
    (story) => ({ ...row(story, 2, SEND_AT), history: expect.any(Array), notes: [] }),
  ],
  [
    'GET /reservation/:id/targets',
    (story) => [`/reservation/${idIn(story)}/targets`, null, { params: { pagenate_count: 20 } }],
    ({ ids }) => ({
      rows: [ids[2], ids[3]].map((prospect_id) => expect.objectContaining({ prospect_id, state: 'will_send' })),
      total: 2,
    }),
  ],
  [
    'GET /reservation/calendar',
    () => ['/reservation/calendar', null, { params: { from: '2026-11-20', to: '2026-11-20' } }],
    (story) => ({
      days: [
        {
          day: '2026-11-20',
          holiday: null,
          closing_day: null,
          is_open: 1,
          limit: null,
          planned: expect.any(Number),
          sent: 0,
          items: [
            {
              id: idIn(story),
              send_at: SEND_AT,
              subject: expect.any(String),
              group: { id: expect.any(Number), group_name: expect.any(String) },
              targets: 2,
              state: expect.any(String),
            },
          ],
          more: 0,
        },
      ],
    }),
  ],
  [
    'PUT /reservation/:id',
    (story) => [`/reservation/${idIn(story)}`, { version: 2, update_info: { send_at: LATER } }],
    (story) => ({ status: 'updated', id: idIn(story), version: 3, skipped: [] }),
  ],
];

/** What waits since a restore: nothing does. */
export const RESTORED_STEPS: readonly Step[] = [
  ['GET /restored', () => ['/restored'], () => ({ runs: 0, mails: 0, reservations: 0, over: 0 })],
  [
    'POST /restored',
    () => ['/restored', { act: 'send' }],
    () => ({ status: 'updated', runs: 0, reservations: 0, over: 0 }),
  ],
];

/** A test reservation that is sent before its time: it leaves no contact. */
export const SENT_NOW_STEPS: readonly Step[] = [
  [
    'POST /reservation',
    ({ senderId: sender_id, ids }) => [
      '/reservation',
      reservationBody({
        sender_id,
        test_send_mode: 1,
        attack_list: [{ prospect_id: ids[2], company_email: 'test@example.com' }],
      }),
    ],
    () => ({ status: 'added', id: expect.any(Number), skipped: [] }),
  ],
  [
    'POST /reservation/:id/send_now',
    (story) => [`/reservation/${idIn(story)}/send_now`, { version: 1 }],
    () => ({ status: 'accepted', send_log_id: expect.any(Number), accepted: 1, skipped: [] }),
  ],
];
