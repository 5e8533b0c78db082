import { expect } from 'vitest';
import { idOf, list, type Step, type Story } from './axios-step.ts';

const conditionId = (story: Story) => idOf(story, 'POST /saved_condition', 'id');
const addedId = (story: Story) => idOf(story, 'POST /prospect', 'id');
const versionOf = ({ answers }: Story) => answers.get('GET /prospect/:id')?.version;
const version = expect.stringMatching(/^[\w-]{22}$/);
const time = expect.stringMatching(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/);

const NO_RESULTS = { sent: 0, failed: 0, unknown: 0, replied: 0, refused: 0, complained: 0, dead: 0 };

/** The part of test/axios-story.ts about one company: add, read, change and archive it. */
export const COMPANY_STEPS: readonly Step[] = [
  [
    'GET /prospect/check',
    () => ['/prospect/check', null, { params: { company_name: 'おおぞら', ceo: '大空 翼' } }],
    () => ({
      addressee: '大空 翼 様',
      similar: [],
      sharing: [],
      sharing_total: 0,
      suppressed: null,
      affected: { reserved: 0, queued: 0, sending: 0, failed: 0 },
    }),
  ],
  [
    'POST /prospect',
    () => ['/prospect', { add_info: { company_name: 'おおぞら', capital: '1,000万円' } }],
    () => ({ status: 'added', id: expect.any(Number), version }),
  ],
  [
    'GET /prospect/:id',
    (story) => [`/prospect/${addedId(story)}`],
    (story) => ({
      id: addedId(story),
      corporate_number: null,
      company_name: 'おおぞら',
      company_email: null,
      ceo: null,
      major_industry_type: null,
      included_industry_type: null,
      address: null,
      number_of_employees: null,
      amount_of_sales: null,
      ordinary_profit: null,
      capital: 10_000_000,
      year_of_establishment: null,
      company_url: null,
      contact_url: null,
      phone: null,
      published_at_url: null,
      published_seen_on: null,
      publication_notice: null,
      version,
      archived: 0,
      created_at: time,
      updated_at: time,
      changed_by: '利用者',
      addressee: 'ご担当者様',
      suppressed: null,
      maybe_refused: null,
      replied: 0,
      replies: 0,
      groups: [
        {
          sender_group_id: story.senderGroupId,
          group_name: 'グループ',
          active: 1,
          remarks: '',
          remarks_version: expect.any(String),
          sent_at: null,
          send_at: null,
          status: 'unsent',
        },
      ],
    }),
  ],
  [
    'PUT /prospect/:id',
    (story) => [`/prospect/${addedId(story)}`, { version: versionOf(story), update_info: { ceo: '大空 翼' } }],
    (story) => ({ status: 'updated', id: addedId(story), version }),
  ],
  ...(['archive', 'restore', 'archive'] as const).map(
    (act): Step => [
      `POST /prospect/:id/${act}`,
      (story) => [`/prospect/${addedId(story)}/${act}`],
      (story) => ({ status: 'updated', id: addedId(story) }),
    ],
  ),
  [
    'POST /prospect/bulk',
    (story) => [
      '/prospect/bulk',
      { act: 'restore', sender_group_id: story.senderGroupId, condition: { status: 'archived' }, dry_run: 1 },
    ],
    () => ({
      matched: 1,
      changed: 1,
      unchanged: { already: 0, not_found: 0, no_email: 0, too_long: 0 },
      reserved: 0,
      queued: 0,
    }),
  ],
  [
    'GET /prospect/:id/timeline',
    (story) => [`/prospect/${addedId(story)}/timeline`, null, { params: { limit: 1, offset: 3 } }],
    () => [
      {
        kind: 'edited',
        at: time,
        member_name: '利用者',
        sender_group_id: null,
        send_log_id: null,
        delivery_id: null,
        subject: null,
        mail_to: null,
        state: null,
        reason: null,
        cause: null,
        smtp_reply: null,
        test_send_mode: null,
        import_run_id: null,
        file_name: null,
        changes: [{ field: 'ceo', old: null, new: '大空 翼' }],
      },
    ],
  ],
  list(
    '/notice/list',
    () => ({ is_read: 0 }),
    ['id', 'kind', 'count', 'percent', 'subjects', 'is_read'],
    ({ noticeId, ids }) => [
      {
        id: noticeId,
        kind: 'reply',
        count: 1,
        percent: null,
        subjects: [{ id: ids[0], name: expect.any(String) }],
        is_read: 0,
      },
    ],
  ),
  ['GET /notice/unread', () => ['/notice/unread'], () => ({ unread: 1 })],
  [
    'PUT /notice/:id',
    ({ noticeId }) => [`/notice/${noticeId}`, { update_info: { is_read: 1 } }],
    () => ({ status: 'updated' }),
  ],
  ['POST /notice/read', ({ noticeId }) => ['/notice/read', { until_id: noticeId }], () => ({ status: 'updated' })],
  ['PUT /account_rule', () => ['/account_rule', { update_info: { undo_seconds: 30 } }], () => ({ status: 'updated' })],
  [
    'GET /account_rule',
    () => ['/account_rule'],
    () => ({ undo_seconds: 30, per_day: null, per_domain: 0, across_groups: 0 }),
  ],
  [
    'PUT /mail_retention',
    () => ['/mail_retention', { update_info: { months: 24 } }],
    () => ({ status: 'updated', version: expect.any(String) }),
  ],
  ['GET /mail_retention', () => ['/mail_retention'], () => ({ months: 24, archived: 0, version: expect.any(String) })],
  [
    'PUT /notice_setting',
    () => ['/notice_setting', { update_info: { failure_percent: 20 } }],
    () => ({ status: 'updated' }),
  ],
  [
    'GET /notice_setting',
    () => ['/notice_setting'],
    () => ({ kinds: expect.any(Array), failure_percent: 20, morning_summary: 1 }),
  ],
  [
    'GET /inbox',
    () => ['/inbox'],
    () => ({ state: 'off', last_read_at: null, fault: null, mails: 0, unmatched: 0, skipped: 0 }),
  ],
  [
    'GET /report/view',
    () => ['/report/view', null, { params: { from: '2000-01-01', to: '2000-01-31' } }],
    () => ({
      from: '2000-01-01',
      to: '2000-01-31',
      before_from: '1999-12-01',
      before_to: '1999-12-31',
      total: NO_RESULTS,
      judged: { ...NO_RESULTS, is_enough: 0 },
      before: NO_RESULTS,
      days: [],
      templates: [],
      hours: [],
      industries: [],
    }),
  ],
  [
    'GET /first_steps',
    () => ['/first_steps'],
    () => ({
      sample_companies: 0,
      dismissed: 0,
      steps: {
        sender_confirmed: 1,
        legal_profile_ready: 1,
        companies_imported: 1,
        template_edited: 1,
        test_sent: 1,
        mail_sent: 0,
      },
      companies: expect.any(Number),
      sender: {
        id: expect.any(Number),
        email: 'sender@example.com',
        template_id: expect.any(Number),
        is_asked: 0,
      },
    }),
  ],
  ['PUT /first_steps', () => ['/first_steps', { update_info: { dismissed: 1 } }], () => ({ status: 'updated' })],
  [
    'POST /saved_condition',
    () => ['/saved_condition', { add_info: { name: '大空', where_info: { search: 'おおぞら' } } }],
    () => ({ status: 'added', id: expect.any(Number) }),
  ],
  [
    'PUT /saved_condition/:id',
    (story) => [`/saved_condition/${conditionId(story)}`, { update_info: { is_shared: 1 } }],
    () => ({ status: 'updated' }),
  ],
  list('/saved_condition/list', null, ['id', 'name', 'is_shared', 'where_info', 'gone', 'updated_by'], (story) => [
    {
      id: conditionId(story),
      name: '大空',
      is_shared: 1,
      where_info: { search: 'おおぞら' },
      gone: [],
      updated_by: '利用者',
    },
  ]),
  [
    'GET /saved_condition/count',
    (story) => [
      '/saved_condition/count',
      null,
      { params: { sender_group_id: story.senderGroupId, ids: conditionId(story) } },
    ],
    (story) => [{ id: conditionId(story), total: expect.any(Number) }],
  ],
  ['POST /prospect/samples', () => ['/prospect/samples'], () => ({ status: 'added', companies: 10 })],
  ['POST /prospect/samples/remove', () => ['/prospect/samples/remove'], () => ({ status: 'removed', companies: 10 })],
];
