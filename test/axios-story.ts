import { expect } from 'vitest';
import { COMPANY_STEPS } from './axios-company-steps.ts';
import { RESERVATION_STEPS, RESTORED_STEPS, SENT_NOW_STEPS } from './axios-reservation-steps.ts';
import { RULES_STEPS } from './axios-rules-steps.ts';
import { idOf, list, type Step, type Story } from './axios-step.ts';
import { TEMPLATE_STEPS } from './axios-template-steps.ts';
import { leftOutCounts } from './left-out-counts.ts';
import { NOW, reservationBody, SEND_AT } from './reservations.ts';

/**
 * The calls of a client of the specification from login to logout, with their answers at NOW.
 * It makes every call of the API.
 */

export const PASSWORD = '朝の電車と青い傘と白い犬';
const NEW_PASSWORD = '夜の灯台と三匹の黒い子猫';
const RESET_PASSWORD = '昼の噴水と七本の赤い風船';
const ADMIN = { id: expect.any(Number), role: 'admin' };
const CANDIDATES = [{ date: '2026-11-24', start_time: '9:00', end_time: '18:00' }];

const runOf = (story: Story) => idOf(story, 'POST /mail/send/:sender_id', 'send_log_id');
const updateAccount = (update_info: (story: Story) => object): Step => [
  'PUT /account/:id',
  (story) => [`/account/${story.accountId}`, { update_info: update_info(story) }],
  ({ accountId: id }) => ({ status: 'updated', id }),
];

const logIn = (email: (story: Story) => string, password: string): Step => [
  'POST /auth/login',
  (story) => ['/auth/login', { email: email(story), password }],
  ({ accountId: account_id }) => ({ token: expect.stringMatching(/^[\w-]{43}$/), account_id, member: ADMIN }),
];

const FOREIGN_TEST = {
  code: 'L14',
  level: 'warning',
  path: 'attack_list',
  message: 'テスト送信先が自社のアドレスではありません。',
};

const CHECKED_DOMAIN = {
  domain: 'example.com',
  senders: 1,
  state: 'unknown',
  is_due: 0,
  needs_acknowledgement: 0,
  checked_at: expect.any(String),
  failed_at: expect.any(String),
  checks: expect.any(Array),
  self_test: { state: 'none', sent_at: null, arrived_at: null, checks: [] },
};

const activeProspect = (active: 0 | 1, status: 'added' | 'updated'): Step => [
  'POST /active_prospect',
  ({ ids: [prospect_id], senderGroupId: sender_group_id }) => [
    '/active_prospect',
    { add_info: { prospect_id, sender_group_id, active }, duplicate_key_update_info: { active } },
  ],
  () => ({ status, version: expect.any(String) }),
];

const reserve = (targets: (story: Story) => readonly (number | undefined)[], answer: Step[2]): Step => [
  'POST /reservation',
  (story) => [
    '/reservation',
    reservationBody({
      sender_id: story.senderId,
      attack_list: targets(story).map((prospect_id) => ({ prospect_id, company_email: 'ignored@example.jp' })),
      datetime_list: CANDIDATES,
    }),
  ],
  answer,
];

/** Returns the row of the list of profiles that was read last. */
const profileOf = ({ answers }: Story): { readonly id: number; readonly version: string } => {
  const [row] = answers.get('GET /sender_profile/list') as unknown as { id: number; version: string }[];
  if (!row) throw new Error('no profile was listed');
  return row;
};

/** In the order of section 4: the login, the lists, what the user does, and the account. */
export const STORY: readonly Step[] = [
  logIn(({ email }) => email, PASSWORD),
  list('/prospect/list', null, ['id', 'company_name', 'ceo'], ({ ids }) => [
    { id: ids[0], company_name: 'あおば', ceo: '代表 0' },
    { id: ids[1], company_name: 'いぶき', ceo: '代表 1' },
    { id: ids[2], company_name: 'うしお', ceo: '代表 2' },
    { id: ids[3], company_name: 'えびす', ceo: '代表 3' },
  ]),
  [
    'GET /account/:id',
    ({ accountId }) => [`/account/${accountId}`],
    ({ accountId: id, email }) => ({
      id,
      email,
      name: '利用者',
      company: '会社',
      email_before_confirmation: null,
      member: ADMIN,
      version: expect.any(String),
    }),
  ],
  list(
    '/sender_group/list',
    ({ accountId: account_id }) => ({ account_id }),
    ['id', 'group_name'],
    ({ senderGroupId: id }) => [{ id, group_name: 'グループ' }],
  ),
  list(
    '/sender/list',
    ({ senderGroupId: sender_group_id }) => ({ sender_group_id, active: 1 }),
    ['id', 'subject', 'group'],
    ({ senderId: id }) => [{ id, subject: '件名', group: 'グループ' }],
  ),
  list(
    '/sender_profile/list',
    ({ senderGroupId: sender_group_id }) => ({ sender_group_id, active: 1 }),
    ['id', 'person_in_charge', 'template_ids', 'version'],
    ({ templateId }) => [
      { id: expect.any(Number), person_in_charge: '担当', template_ids: [templateId], version: expect.any(String) },
    ],
  ),
  [
    'PUT /sender_profile/:id',
    (story) => {
      const { id, version } = profileOf(story);
      return [
        `/sender_profile/${id}`,
        { version, update_info: { signature: '営業部', template_ids: [story.templateId] } },
      ];
    },
    (story) => ({
      status: 'updated',
      id: profileOf(story).id,
      version: expect.any(String),
      is_confirmed: 1,
      template_ids: [story.templateId],
    }),
  ],
  list(
    '/legal_profile/list',
    ({ senderGroupId: sender_group_id }) => ({ sender_group_id }),
    ['sender_group_id', 'official_name', 'confirmed'],
    ({ senderGroupId: sender_group_id }) => [{ sender_group_id, official_name: '株式会社見本', confirmed: 1 }],
  ),
  [
    'PUT /legal_profile/:sender_group_id',
    ({ senderGroupId }) => [`/legal_profile/${senderGroupId}`, { update_info: { basis: 'published', confirmed: 1 } }],
    () => ({ status: 'updated', version: expect.any(String), ready: 1, faults: [] }),
  ],
  list(
    '/domain_health/list',
    () => ({ domain: 'example.com' }),
    ['domain', 'senders', 'state', 'checks'],
    () => [{ domain: 'example.com', senders: 1, state: 'unchecked', checks: [] }],
  ),
  ['POST /domain_health/check', () => ['/domain_health/check', { domain: 'example.com' }], () => CHECKED_DOMAIN],
  [
    'POST /domain_health/send_test',
    () => ['/domain_health/send_test', { domain: 'example.com' }],
    () => ({
      ...CHECKED_DOMAIN,
      self_test: { state: 'waiting', sent_at: expect.any(String), arrived_at: null, checks: [] },
    }),
  ],
  ['GET /legal_check/:sender_id', ({ senderId }) => [`/legal_check/${senderId}`], () => ({ ready: 1, faults: [] })],
  activeProspect(1, 'added'),
  activeProspect(0, 'updated'),
  list(
    '/active_prospect/list',
    ({ senderGroupId: sender_group_id }) => ({ sender_group_id }),
    ['prospect_id', 'active', 'remarks'],
    ({ ids }) => [{ prospect_id: ids[0], active: 0, remarks: '' }],
  ),
  [
    'POST /send_log',
    ({ senderGroupId: sender_group_id, ids }) => [
      '/send_log',
      { sender_group_id, attack_list: JSON.stringify([ids[1]]), sent_at: '2026/11/17 10:00:00' },
    ],
    () => ({ status: 'added', id: expect.any(Number), skipped: [] }),
  ],
  list(
    '/send_log/list',
    ({ senderGroupId: sender_group_id }) => ({ sender_group_id, test_send_mode: 0 }),
    ['attack_list', 'sent_at'],
    ({ ids }) => [{ attack_list: [ids[1]], sent_at: '2026/11/17 10:00:00' }],
  ),
  reserve(
    ({ ids }) => [ids[0], ids[2]],
    ({ ids }) => ({
      status: 'added',
      id: expect.any(Number),
      skipped: [{ prospect_id: ids[0], reason: 'inactive' }],
    }),
  ),
  reserve(
    ({ ids }) => [ids[2]],
    (story) => ({
      status: 'no-added',
      id: idOf(story, 'POST /reservation', 'id'),
      skipped: [{ prospect_id: story.ids[2], reason: 'reserved' }],
    }),
  ),
  reserve(
    ({ ids }) => [ids[3]],
    (story) => ({ status: 'updated', id: idOf(story, 'POST /reservation', 'id'), skipped: [] }),
  ),
  list(
    '/reservation/list',
    ({ senderId: sender_id }) => ({
      sender_id,
      // axios encodes it as ISO 8601.
      send_at: { gt: new Date(NOW) },
      is_sent: 0,
      test_send_mode: 0,
      active: 1,
    }),
    ['id', 'attack_list', 'send_at'],
    (story) => [
      {
        id: idOf(story, 'POST /reservation', 'id'),
        attack_list: [
          {
            prospect_id: story.ids[2],
            company_name: 'うしお',
            company_email: 'info@2.example.jp',
            person_in_charge: '代表 2',
          },
          {
            prospect_id: story.ids[3],
            company_name: 'えびす',
            company_email: 'info@3.example.jp',
            person_in_charge: '代表 3',
          },
        ],
        send_at: SEND_AT,
      },
    ],
  ),
  ...RESERVATION_STEPS,
  [
    'PUT /reservation/:id',
    (story) => [`/reservation/${idOf(story, 'POST /reservation', 'id')}`, { update_info: { active: 0 } }],
    () => ({ status: 'updated' }),
  ],
  [
    'GET /prospect/view',
    ({ senderGroupId: sender_group_id }) => [
      '/prospect/view',
      null,
      { params: { sender_group_id, status: 'sent', sort: 'company_name', order: 'desc', address: undefined } },
    ],
    ({ ids }) => ({
      rows: [
        expect.objectContaining({ id: ids[1], active: 1, sent_at: '2026/11/17 10:00', send_at: null, remarks: '' }),
      ],
      total: 1,
    }),
  ],
  [
    'GET /attack_list/preview',
    ({ senderGroupId: sender_group_id }) => [
      '/attack_list/preview',
      null,
      { params: { sender_group_id, days_from_lastday: 7, limit_count: 1 } },
    ],
    ({ ids }) => ({
      rows: [
        {
          prospect_id: ids[2],
          company_name: 'うしお',
          company_email: 'info@2.example.jp',
          person_in_charge: '代表 2',
          sent_at: null,
        },
      ],
      matched: 4,
      eligible: 2,
      left_out: leftOutCounts({ inactive: 1, recently_sent: 1 }),
    }),
  ],
  [
    'GET /attack_list/follow_up_runs',
    ({ senderGroupId }) => [
      '/attack_list/follow_up_runs',
      null,
      { params: { sender_group_id: senderGroupId, days_from_lastday: 7 } },
    ],
    () => ({ rows: [] }),
  ],
  [
    'GET /attack_list/left_out',
    ({ senderGroupId: sender_group_id }) => [
      '/attack_list/left_out',
      null,
      { params: { sender_group_id, days_from_lastday: 7, reason: 'recently_sent' } },
    ],
    ({ ids }) => ({
      rows: [
        {
          prospect_id: ids[1],
          company_name: 'いぶき',
          company_email: 'info@1.example.jp',
          person_in_charge: '代表 1',
          sent_at: '2026/11/17 10:00',
        },
      ],
      total: 1,
    }),
  ],
  ...TEMPLATE_STEPS,
  ...COMPANY_STEPS,
  ...RULES_STEPS,
  [
    'POST /mail/preview/:sender_id',
    ({ senderId, ids }) => [
      `/mail/preview/${senderId}`,
      {
        test_send_mode: 1,
        attack_list: JSON.stringify([{ prospect_id: ids[3], company_email: 'test+[n]@example.jp' }]),
        datetime_list: JSON.stringify(CANDIDATES),
        pagenate_num: 1,
      },
    ],
    ({ ids }) => ({
      total: 1,
      mail: {
        prospect_id: ids[3],
        company_name: 'えびす',
        subject: '件名',
        from: { name: '担当', address: 'sender@example.com' },
        to: 'test+0@example.jp',
        text: expect.stringMatching(/^本文\n\n-{60}\n送信者: 株式会社見本\n/),
        html: expect.stringMatching(/^<p>本文<\/p><span .*送信者: 株式会社見本<br>/),
        warnings: [],
      },
      skipped: [],
      legal_faults: [FOREIGN_TEST],
      without_source: 1,
    }),
  ],
  [
    'POST /mail/check/:sender_id',
    ({ senderId, ids }) => [
      `/mail/check/${senderId}`,
      {
        test_send_mode: 1,
        attack_list: JSON.stringify([{ prospect_id: ids[3], company_email: 'test+[n]@example.jp' }]),
        datetime_list: JSON.stringify(CANDIDATES),
      },
    ],
    () => ({
      total: 1,
      checked: 1,
      warnings: [],
      skipped: [],
      legal_faults: [FOREIGN_TEST],
      without_source: 1,
    }),
  ],
  [
    'POST /mail/send/:sender_id',
    ({ senderId, ids }) => [
      `/mail/send/${senderId}`,
      {
        test_send_mode: 1,
        attack_list: JSON.stringify([{ prospect_id: ids[3], company_email: 'test+[n]@example.jp' }]),
        datetime_list: JSON.stringify(CANDIDATES),
      },
      { headers: { 'Idempotency-Key': '8c1f0d52-6f0e-4c58' } },
    ],
    () => ({
      status: 'accepted',
      send_log_id: expect.any(Number),
      accepted: 1,
      skipped: [],
      legal_faults: [FOREIGN_TEST],
    }),
  ],
  [
    'GET /send_log/:id',
    (story) => [`/send_log/${runOf(story)}`],
    (story) => ({
      id: runOf(story),
      test_send_mode: 1,
      sent_at: '2026/11/18 12:34:56',
      starts_at: null,
      targets: 1,
      queued: 1,
      sending: 0,
      sent: 0,
      failed: 0,
      unknown: 0,
      cancelled: 0,
      replied: 0,
      refused: 0,
      archived: 0,
      finished: false,
      paused_by: null,
      transport_paused_until: null,
      limited_until: null,
      database_rewound: false,
      put_off_until: null,
      put_off_reason: null,
      put_off_by: null,
      estimated_end_at: null,
      group_name: 'グループ',
      subject: '件名',
    }),
  ],
  [
    'GET /send_log/view',
    () => ['/send_log/view', null, { params: { pagenate_count: 20 } }],
    ({ answers }) => ({
      rows: [
        expect.objectContaining(answers.get('GET /send_log/:id') as object),
        expect.objectContaining({ unknown: 1 }),
      ],
      total: 2,
      database_rewound: false,
    }),
  ],
  [
    'PUT /send_log/:id',
    (story) => [`/send_log/${runOf(story)}`, { update_info: { state: 'cancelled' } }],
    () => ({ status: 'updated', cancelled: 1, left: 0 }),
  ],
  [
    'GET /send_log/:id/origin',
    (story) => [`/send_log/${runOf(story)}/origin`],
    () => expect.objectContaining({ list_conditions: null, companies_chosen: false, left_out: [] }),
  ],
  [
    'GET /send_log/:id/results',
    (story) => [`/send_log/${runOf(story)}/results`],
    () => ({ step_minutes: 1, times: [] }),
  ],
  [
    'GET /send_log/:id/deliveries',
    (story) => [`/send_log/${runOf(story)}/deliveries`, null, { params: { state: 'cancelled' } }],
    ({ ids }) => ({
      rows: [
        {
          id: expect.any(Number),
          prospect_id: ids[3],
          company_name: 'えびす',
          mail_to: 'test+0@example.jp',
          state: 'cancelled',
          reason: 'run_cancelled',
          attempts: 0,
          claim_no: 0,
          finished_at: expect.any(String),
          delivered_at: null,
          next_try_at: null,
          cause: null,
          smtp_reply: null,
          archived: false,
        },
      ],
      total: 1,
    }),
  ],
  [
    'POST /send_log/:id/retry',
    (story) => [`/send_log/${runOf(story)}/retry`],
    () => ({ status: 'no-added', accepted: 0, skipped: [] }),
  ],
  [
    'POST /delivery/:id/retry',
    ({ unknownDelivery }) => [`/delivery/${unknownDelivery}/retry`],
    () => ({ status: 'no-added', accepted: 0, skipped: [] }),
  ],
  [
    'PUT /delivery/:id',
    ({ unknownDelivery }) => [`/delivery/${unknownDelivery}`, { update_info: { state: 'sent' }, claim_no: 1 }],
    () => ({ status: 'updated' }),
  ],
  [
    'GET /delivery/:id',
    ({ unknownDelivery }) => [`/delivery/${unknownDelivery}`],
    ({ ids, unknownDelivery: id }) =>
      expect.objectContaining({ id, prospect_id: ids[0], state: 'sent', reason: 'counted_as_sent' }),
  ],
  updateAccount(() => ({ name: '山田 太郎' })),
  updateAccount(() => ({ company: '株式会社サンプル' })),
  ...RESTORED_STEPS,
  ...SENT_NOW_STEPS,
  [
    'PUT /auth/password/:account_id',
    ({ accountId }) => [`/auth/password/${accountId}`, { current_password: PASSWORD, new_password: NEW_PASSWORD }],
    () => ({ status: 'updated' }),
  ],
  updateAccount(({ email }) => ({ email_before_confirmation: `new-${email}` })),
  [
    'PUT /auth/confirmation_token/:id',
    ({ accountId }) => [`/auth/confirmation_token/${accountId}`],
    () => ({ confirmation_token: expect.stringMatching(/^[\w-]{43}$/) }),
  ],
  [
    'POST /mail/send/confirmation/:id',
    ({ accountId, email, answers }) => [
      `/mail/send/confirmation/${accountId}`,
      { email_before_confirmation: `new-${email}`, ...answers.get('PUT /auth/confirmation_token/:id') },
    ],
    () => ({ status: 'sent' }),
  ],
  [
    'POST /auth/confirmation_token/:id/confirm',
    (story) => [`/auth/confirmation_token/${story.accountId}/confirm`, { confirmation_token: story.mailedSecret() }],
    () => ({ status: 'confirmed' }),
  ],
  updateAccount(({ email }) => ({
    email: `new-${email}`,
    email_before_confirmation: '',
    hashed_confirmation_token: '',
  })),
  logIn(({ email }) => `new-${email}`, NEW_PASSWORD),
  [
    'GET /account/:id',
    ({ accountId }) => [`/account/${accountId}`],
    ({ accountId: id, email }) => ({
      id,
      email: `new-${email}`,
      name: '山田 太郎',
      company: '株式会社サンプル',
      email_before_confirmation: null,
      member: ADMIN,
      version: expect.any(String),
    }),
  ],
  [
    'POST /auth/password_reset',
    ({ email }) => ['/auth/password_reset', { email: `new-${email}` }],
    () => ({ status: 'accepted' }),
  ],
  [
    'POST /auth/password_reset/confirm',
    async (story) => [
      '/auth/password_reset/confirm',
      { key: await story.mailedResetKey(), new_password: RESET_PASSWORD, new_password_confirmation: RESET_PASSWORD },
    ],
    () => ({ status: 'updated' }),
  ],
  logIn(({ email }) => `new-${email}`, RESET_PASSWORD),
  ['POST /auth/logout', () => ['/auth/logout'], () => ({ status: 'logged-out' })],
];
