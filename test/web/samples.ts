import type { ListedTarget } from '#contract/companies/attack-list.ts';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import type { ProspectView } from '#contract/companies/prospects.ts';
import type { Run } from '#contract/sending/runs.ts';
import type { ListedRun } from '#contract/sending/send-logs.ts';
import { startSession } from '#web/lib/session/session-store.ts';

export const USER = { id: 7, email: 'tanaka@example.com', name: '田中 直樹', company: '株式会社架空商事' };

export const logInAs = (token = 'token-1'): void => startSession(token, USER);

export const prospect = (id: number, values: Partial<ProspectView> = {}): ProspectView => ({
  id,
  active: 1,
  status: 'unsent',
  sent_at: null,
  send_at: null,
  reservation_id: null,
  company_name: `第${id}商事`,
  remarks: '',
  remarks_version: 'r1',
  company_email: `info@c${id}.example.jp`,
  ceo: '佐藤 花子',
  major_industry_type: '製造業',
  included_industry_type: '金型',
  address: '東京都千代田区',
  number_of_employees: 1200,
  amount_of_sales: 100_000_000,
  ordinary_profit: -5_000_000,
  capital: 10_000_000,
  year_of_establishment: 1985,
  company_url: 'https://www.example.jp/',
  contact_url: null,
  phone: null,
  published_at_url: null,
  published_seen_on: null,
  publication_notice: null,
  ...values,
});

export const target = (id: number): ListedTarget => ({
  prospect_id: id,
  company_name: `第${id}商事`,
  company_email: `info@c${id}.example.jp`,
  person_in_charge: '佐藤 花子',
  sent_at: null,
  person: null,
});

/** An open run of ten mails. */
export const run = (id: number, values: Partial<Run> = {}): Run => ({
  id,
  test_send_mode: 0,
  sent_at: '2026/11/21 10:00:00',
  starts_at: null,
  undone: 0,
  group_name: '営業部',
  send_to: 'company',
  subject: 'ご提案',
  targets: 10,
  queued: 6,
  sending: 2,
  sent: 2,
  failed: 0,
  unknown: 0,
  cancelled: 0,
  replied: 0,
  replied_by_hand: 0,
  refused: 0,
  archived: 0,
  finished: false,
  paused_by: null,
  transport_paused_until: null,
  limited_until: null,
  mailbox_wait: null,
  mailbox_until: null,
  database_rewound: false,
  put_off_until: null,
  put_off_reason: null,
  put_off_by: null,
  estimated_end_at: null,
  ...values,
});

/** A run as the history lists it. */
export const listed = (values: Run): ListedRun => ({ ...values, member_name: '田中 直樹' });

/** The suppression of an address that a member has blocked. */
export const BLOCKED = {
  id: 3,
  kind: 'address',
  class: 'blocked',
  source: 'manual',
  reason: '自社で禁止',
  created_at: '2026/11/20 09:00:00',
} as const;

/** The suppression of an address that its server does not know. */
export const UNKNOWN_ADDRESS = {
  ...BLOCKED,
  class: 'undeliverable',
  source: 'smtp',
  reason: '550 5.1.1 <info@example.co.jp> User unknown',
} as const;

/** Returns a company's details as sender group 1 (営業部) sees them. */
export const company = (id: number, values: Partial<CompanyDetail> = {}): CompanyDetail => {
  const { status, active, sent_at, send_at, reservation_id, remarks, remarks_version, ...own } = prospect(id);
  return {
    ...own,
    corporate_number: null,
    external_id: null,
    tags: [],
    custom: {},
    version: 'v1',
    archived: 0,
    created_at: '2026/11/20 10:02:00',
    updated_at: '2026/11/20 10:02:00',
    changed_by: null,
    addressee: '佐藤 花子 様',
    suppressed: null,
    maybe_refused: null,
    replied: 0,
    replies: 0,
    people: [],
    groups: [
      {
        sender_group_id: 1,
        group_name: '営業部',
        active,
        remarks,
        remarks_version,
        status,
        sent_at,
        send_at,
        reservation_id,
      },
    ],
    ...values,
  };
};

/** Links of companies that lead nowhere, for lists rendered without the application. */
export const LINKS = { pathOf: (id: number) => `/prospects/${id}`, onOpen: () => undefined };
