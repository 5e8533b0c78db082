import type { AxiosRequestConfig } from 'axios';
import { expect } from 'vitest';
import type { Tenant } from './prospects.ts';
import { NOW, reservationBody, SEND_AT } from './reservations.ts';

/** The specification's calls as its client makes them, from login to the new address, with the answers at NOW. */

/** The client's state, and the last answer to each of its calls. */
export interface Story extends Tenant {
  readonly email: string;
  readonly ids: readonly number[];
  /** Returns the secret of the last mail to the new address. */
  readonly mailedSecret: () => string | undefined;
  readonly answers: Map<string, Record<string, never>>;
}

/** How a client encodes a request. */
export interface Style {
  /** Encodes an object or list of a query. */
  readonly part: (value: object) => unknown;
  readonly config: AxiosRequestConfig;
  /** Appended to each path. */
  readonly end: '' | '/';
}

type Ask = readonly [path: string, body?: object | null, config?: AxiosRequestConfig];

/** A call of the route table, its request, and the whole answer. */
type Step = readonly [route: string, ask: (story: Story, style: Style) => Ask, answer: (story: Story) => unknown];

/** Returns a step that calls a list with a filter and some columns. */
const list = (
  route: `/${string}/list`,
  where: ((story: Story) => object) | null,
  columns: readonly string[],
  answer: Step[2],
): Step => [
  `GET ${route}`,
  (story, { part }) => [
    route,
    null,
    { params: { ...(where && { where_info: part(where(story)) }), columns: part(columns) } },
  ],
  answer,
];

/** Returns an id from the answer to an earlier call. */
const idOf = ({ answers }: Story, route: string, field: string) => answers.get(route)?.[field] as unknown as number;

export const PASSWORD = '朝の電車と青い傘と白い犬';
const NEW_PASSWORD = '夜の灯台と三匹の黒い子猫';
const ADMIN = { id: expect.any(Number), role: 'admin' };
const RIGHTS = {
  ...ADMIN,
  sender_group_ids: null,
  may_export: 1,
  two_factor: 0,
  recovery_codes_left: 0,
  two_factor_required: 0,
};
const CANDIDATES = [{ date: '2026-11-24', start_time: '9:00', end_time: '18:00' }];

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
      member: RIGHTS,
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
  [
    'PUT /reservation/:id',
    (story) => [`/reservation/${idOf(story, 'POST /reservation', 'id')}`, { update_info: { active: 0 } }],
    () => ({ status: 'updated' }),
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
  updateAccount(() => ({ name: '山田 太郎' })),
  updateAccount(() => ({ company: '株式会社サンプル' })),
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
      member: RIGHTS,
      version: expect.any(String),
    }),
  ],
];
