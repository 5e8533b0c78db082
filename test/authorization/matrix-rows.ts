import { leftOutCounts } from '../left-out-counts.ts';
import { nextReservable } from '../reservations.ts';
import { ACCOUNT_SETTING_ROWS } from './account-setting-rows.ts';
import { COMPANY_ROWS } from './company-rows.ts';
import { CONDITION_ROWS } from './condition-rows.ts';
import type { FullTenant } from './full-tenant.ts';
import { IMPORT_ROWS } from './import-rows.ts';
import { JOB_ROWS } from './job-rows.ts';
import type { MatrixRow, Nothing } from './matrix-row.ts';
import { MEMBER_ROWS } from './member-rows.ts';
import { NOTICE_ROWS } from './notice-rows.ts';
import { OAUTH_ROWS } from './oauth-rows.ts';
import { OWN_FIELD_ROWS } from './own-field-rows.ts';
import { PERSONAL_DATA_ROWS } from './personal-data-rows.ts';
import { REPLY_ROWS } from './reply-rows.ts';
import { REPORT_ROWS } from './report-rows.ts';
import { SENDER_ROWS } from './sender-rows.ts';
import { SENDING_RULES_ROWS } from './sending-rules-rows.ts';
import { SESSION_ROWS } from './session-rows.ts';
import { SUPPRESSION_ROWS } from './suppression-rows.ts';
import { TEMPLATE_ROWS } from './template-rows.ts';
import { VISITOR_ROWS } from './visitor-rows.ts';

const NEXT_PASSWORD = '次の馬 電池 ホチキス 橋';

const notFound: Nothing = { status: 404 };
const empty: Nothing = { shows: [] };
/** Makes a row for a call that takes no name of another account's data: the asker gets its own data. */
const nameless = (path: string): MatrixRow => ({
  own: () => ({ path }),
  foreign: () => ({ plain: { ask: { path }, gets: { status: 200 } } }),
});

const target = (tenant: FullTenant) => [{ prospect_id: tenant.prospectIds[0] }];
const foreignTargets = (tenant: FullTenant) => tenant.prospectIds.map((prospect_id) => ({ prospect_id }));
const skippedAll = (tenant: FullTenant) =>
  tenant.prospectIds.map((prospect_id) => ({ prospect_id, reason: 'not_found' }));

const EMPTY_PREVIEW = {
  rows: [],
  matched: 0,
  eligible: 0,
  left_out: leftOutCounts(),
};

const NO_RESERVATION = { rows: [], total: 0 };
/** The closing day of each tenant's group: it would show another account's. No holiday, and nothing is reserved. */
const CLOSING_DAY = 'from=2099-12-01&to=2099-12-01';

const reservationOf = (senderId: number, attack_list: object[]) => ({
  add_info: {
    sender_id: senderId,
    send_at: nextReservable(),
    test_send_mode: 0,
    datetime_list: null,
    attack_list,
    active: 1,
  },
  duplicate_key_update_info: { datetime_list: null, attack_list, active: 1 },
});

/** Makes a row for a list call: no filter finds another account's data. */
const list = (path: string, filters: (tenant: FullTenant) => Record<string, number>): MatrixRow => {
  const asked = (key: string, value: number) => `${path}?where_info[${key}]=${value}`;
  return {
    own: (owner) => {
      const [first] = Object.entries(filters(owner));
      return { path: first ? asked(...first) : path };
    },
    foreign: (victim) =>
      Object.fromEntries(
        Object.entries(filters(victim)).map(([key, value]) => [
          `where_info ${key}`,
          { ask: { path: asked(key, value) }, gets: empty },
        ]),
      ),
  };
};

/** The row of every call of the API; a missing route fails the test. */
export const MATRIX: Record<string, MatrixRow> = {
  ...OAUTH_ROWS,
  ...OWN_FIELD_ROWS,
  ...PERSONAL_DATA_ROWS,
  ...REPORT_ROWS,
  ...SESSION_ROWS,
  ...SENDING_RULES_ROWS,
  ...VISITOR_ROWS,
  'POST /sendgrid/events': {
    open: true,
    own: ({ accountId, unknownDeliveryId }) => ({
      path: '/sendgrid/events',
      body: [{ event: 'delivered', email: 'a@a.example', kaitaku: `${accountId}.${unknownDeliveryId}.1.uuid-uuid` }],
    }),
    foreign: () => ({}),
  },
  'POST /auth/logout': nameless('/auth/logout'),

  'GET /account/:id': {
    own: ({ accountId }) => ({ path: `/account/${accountId}` }),
    foreign: ({ accountId }) => ({ path: { ask: { path: `/account/${accountId}` }, gets: notFound } }),
  },
  'PUT /account/:id': {
    own: ({ accountId }) => ({ path: `/account/${accountId}`, body: { update_info: { name: '新しい氏名' } } }),
    foreign: ({ accountId }) => ({
      path: { ask: { path: `/account/${accountId}`, body: { update_info: { name: '乗っ取り' } } }, gets: notFound },
      'path, pending address': {
        ask: {
          path: `/account/${accountId}`,
          body: { update_info: { email_before_confirmation: 'evil@example.com' } },
        },
        gets: notFound,
      },
      'path, confirmed address': {
        ask: {
          path: `/account/${accountId}`,
          body: {
            update_info: { email: 'evil@example.com', email_before_confirmation: '', hashed_confirmation_token: '' },
          },
        },
        gets: notFound,
      },
    }),
  },
  'PUT /auth/password/:account_id': {
    own: ({ accountId, password }) => ({
      path: `/auth/password/${accountId}`,
      body: { current_password: password, new_password: NEXT_PASSWORD },
    }),
    foreign: ({ accountId, password }) => ({
      path: {
        ask: {
          path: `/auth/password/${accountId}`,
          body: { current_password: password, new_password: NEXT_PASSWORD },
        },
        gets: notFound,
      },
    }),
  },
  'PUT /auth/confirmation_token/:id': {
    own: ({ accountId }) => ({ path: `/auth/confirmation_token/${accountId}` }),
    foreign: ({ accountId }) => ({ path: { ask: { path: `/auth/confirmation_token/${accountId}` }, gets: notFound } }),
  },
  'POST /mail/send/confirmation/:id': {
    own: async ({ accountId, pending }, client) => {
      const { body } = await client.put(`/auth/confirmation_token/${accountId}`);
      const { confirmation_token } = body as { confirmation_token: string };
      return {
        path: `/mail/send/confirmation/${accountId}`,
        body: { email_before_confirmation: pending, confirmation_token },
      };
    },
    foreign: ({ accountId, pending, ticket }) => ({
      path: {
        ask: {
          path: `/mail/send/confirmation/${accountId}`,
          body: { email_before_confirmation: pending, confirmation_token: ticket },
        },
        gets: notFound,
      },
    }),
  },
  'POST /auth/confirmation_token/:id/confirm': {
    own: ({ accountId, secret }) => ({
      path: `/auth/confirmation_token/${accountId}/confirm`,
      body: { confirmation_token: secret },
    }),
    foreign: ({ accountId, secret }, asker) => ({
      path: {
        ask: { path: `/auth/confirmation_token/${accountId}/confirm`, body: { confirmation_token: secret } },
        gets: notFound,
      },
      body: {
        ask: { path: `/auth/confirmation_token/${asker.accountId}/confirm`, body: { confirmation_token: secret } },
        gets: { status: 400 },
      },
    }),
  },

  'GET /sender_group/list': list('/sender_group/list', (tenant) => ({
    account_id: tenant.accountId,
    id: tenant.senderGroupId,
  })),
  'GET /legal_profile/list': list('/legal_profile/list', (tenant) => ({ sender_group_id: tenant.senderGroupId })),
  'GET /sender/list': list('/sender/list', (tenant) => ({
    sender_group_id: tenant.senderGroupId,
    id: tenant.senderId,
    profile_id: tenant.senderProfileId,
    template_id: tenant.templateId,
  })),
  'GET /sender_profile/list': list('/sender_profile/list', (tenant) => ({
    sender_group_id: tenant.senderGroupId,
    id: tenant.senderProfileId,
  })),
  'GET /mailbox/list': list('/mailbox/list', (tenant) => ({ id: tenant.mailboxId })),
  ...SENDER_ROWS,
  ...TEMPLATE_ROWS,
  ...IMPORT_ROWS,
  ...JOB_ROWS,
  ...COMPANY_ROWS,
  ...NOTICE_ROWS,
  ...MEMBER_ROWS,
  ...ACCOUNT_SETTING_ROWS,
  ...CONDITION_ROWS,
  ...SUPPRESSION_ROWS,
  ...REPLY_ROWS,
  'GET /active_prospect/list': list('/active_prospect/list', (tenant) => ({ sender_group_id: tenant.senderGroupId })),
  'GET /send_log/list': list('/send_log/list', (tenant) => ({
    sender_group_id: tenant.senderGroupId,
    id: tenant.sendLogId,
    sender_id: tenant.senderId,
  })),
  'GET /reservation/list': list('/reservation/list', (tenant) => ({
    sender_id: tenant.senderId,
    id: tenant.reservationId,
    sender_group_id: tenant.senderGroupId,
  })),
  'GET /prospect/list': list('/prospect/list', (tenant) => ({ id: tenant.prospectIds[0] ?? 0 })),

  // An account without such companies gets an empty list, never another account's industries.
  'GET /prospect/industries': nameless('/prospect/industries?column=major_industry_type'),
  'GET /prospect/view': {
    own: ({ senderGroupId }) => ({ path: `/prospect/view?sender_group_id=${senderGroupId}` }),
    foreign: ({ senderGroupId, senderId, reservationId }, asker) => {
      const asked = (query: string) => ({
        ask: { path: `/prospect/view?sender_group_id=${query}` },
        gets: { shows: { rows: [], total: 0 } },
      });
      return {
        query: asked(`${senderGroupId}`),
        sender: asked(`${asker.senderGroupId}&sender_id=${senderId}`),
        reservation: asked(`${asker.senderGroupId}&reservation_id=${reservationId}`),
        all: asked(`${senderGroupId}&sender_id=${senderId}&reservation_id=${reservationId}`),
      };
    },
  },
  'GET /attack_list/preview': {
    own: ({ senderGroupId }) => ({ path: `/attack_list/preview?sender_group_id=${senderGroupId}` }),
    foreign: ({ senderGroupId, sendLogId, prospectIds }, asker) => ({
      query: {
        ask: { path: `/attack_list/preview?sender_group_id=${senderGroupId}` },
        gets: { shows: EMPTY_PREVIEW },
      },
      chosen: {
        ask: { path: `/attack_list/preview?sender_group_id=${asker.senderGroupId}&prospect_ids=${prospectIds.join()}` },
        gets: { shows: EMPTY_PREVIEW },
      },
      run: {
        ask: { path: `/attack_list/preview?sender_group_id=${asker.senderGroupId}&follow_up_of=${sendLogId}` },
        gets: { shows: EMPTY_PREVIEW },
      },
    }),
  },
  'GET /attack_list/follow_up_runs': {
    own: ({ senderGroupId }) => ({ path: `/attack_list/follow_up_runs?sender_group_id=${senderGroupId}` }),
    foreign: ({ senderGroupId, sendLogId }) => ({
      query: {
        ask: { path: `/attack_list/follow_up_runs?sender_group_id=${senderGroupId}&days_from_lastday=0` },
        gets: { shows: { rows: [] } },
      },
      run: {
        ask: { path: `/attack_list/follow_up_runs?send_log_id=${sendLogId}&days_from_lastday=0` },
        gets: { shows: { rows: [] } },
      },
    }),
  },
  'GET /attack_list/left_out': {
    own: ({ senderGroupId }) => ({ path: `/attack_list/left_out?sender_group_id=${senderGroupId}&reason=reserved` }),
    foreign: ({ senderGroupId, prospectIds }, asker) => ({
      query: {
        ask: { path: `/attack_list/left_out?sender_group_id=${senderGroupId}&reason=reserved` },
        gets: { shows: { rows: [], total: 0 } },
      },
      chosen: {
        ask: {
          path: `/attack_list/left_out?sender_group_id=${asker.senderGroupId}&reason=reserved&prospect_ids=${prospectIds.join()}`,
        },
        gets: { shows: { rows: [], total: 0 } },
      },
    }),
  },
  'POST /active_prospect': {
    own: ({ senderGroupId, prospectIds: [prospect_id] }) => ({
      path: '/active_prospect/',
      body: {
        add_info: { prospect_id, sender_group_id: senderGroupId, active: 0 },
        duplicate_key_update_info: { active: 0 },
      },
    }),
    foreign: (victim, asker) => {
      const save = (sender_group_id: number, prospect_id: number | undefined) => ({
        ask: {
          path: '/active_prospect/',
          body: { add_info: { prospect_id, sender_group_id, active: 0 }, duplicate_key_update_info: { active: 0 } },
        },
        gets: notFound,
      });
      return {
        'body, both': save(victim.senderGroupId, victim.prospectIds[0]),
        'body, prospect': save(asker.senderGroupId, victim.prospectIds[0]),
        'body, group': save(victim.senderGroupId, asker.prospectIds[0]),
      };
    },
  },

  'POST /mail/send/:sender_id': {
    own: (owner) => ({
      path: `/mail/send/${owner.senderId}`,
      body: { test_send_mode: 0, attack_list: target(owner), datetime_list: null },
    }),
    foreign: (victim, asker) => ({
      path: {
        ask: { path: `/mail/send/${victim.senderId}`, body: { test_send_mode: 0, attack_list: target(asker) } },
        gets: notFound,
      },
      'path and list': {
        ask: { path: `/mail/send/${victim.senderId}`, body: { test_send_mode: 0, attack_list: target(victim) } },
        gets: notFound,
      },
      'body, run': {
        ask: {
          path: `/mail/send/${asker.senderId}`,
          body: { test_send_mode: 0, attack_list: target(asker), follow_up_of: victim.sendLogId },
        },
        gets: notFound,
      },
      'body, list': {
        ask: { path: `/mail/send/${asker.senderId}`, body: { test_send_mode: 0, attack_list: foreignTargets(victim) } },
        gets: {
          shows: { status: 'no-added', send_log_id: null, accepted: 0, skipped: skippedAll(victim) },
        },
      },
    }),
  },
  'POST /mail/preview/:sender_id': {
    own: (owner) => ({
      path: `/mail/preview/${owner.senderId}`,
      body: { test_send_mode: 0, attack_list: target(owner) },
    }),
    foreign: (victim, asker) => ({
      path: {
        ask: { path: `/mail/preview/${victim.senderId}`, body: { test_send_mode: 0, attack_list: target(asker) } },
        gets: notFound,
      },
      'body, list': {
        ask: {
          path: `/mail/preview/${asker.senderId}`,
          body: { test_send_mode: 0, attack_list: foreignTargets(victim) },
        },
        gets: { shows: { total: 0, mail: null, skipped: skippedAll(victim), legal_faults: [], without_source: 0 } },
      },
    }),
  },
  'POST /mail/check/:sender_id': {
    own: (owner) => ({
      path: `/mail/check/${owner.senderId}`,
      body: { test_send_mode: 0, attack_list: target(owner) },
    }),
    foreign: (victim, asker) => ({
      path: {
        ask: { path: `/mail/check/${victim.senderId}`, body: { test_send_mode: 0, attack_list: target(asker) } },
        gets: notFound,
      },
      'body, list': {
        ask: {
          path: `/mail/check/${asker.senderId}`,
          body: { test_send_mode: 0, attack_list: foreignTargets(victim) },
        },
        gets: {
          shows: {
            total: 0,
            checked: 0,
            warnings: [],
            skipped: skippedAll(victim),
            legal_faults: [],
            without_source: 0,
          },
        },
      },
    }),
  },
  'GET /send_log/:id': {
    own: ({ sendLogId }) => ({ path: `/send_log/${sendLogId}` }),
    foreign: ({ sendLogId }) => ({ path: { ask: { path: `/send_log/${sendLogId}` }, gets: notFound } }),
  },
  'GET /send_log/view': nameless('/send_log/view'),
  'GET /send_log/events': nameless('/send_log/events'),
  'GET /send_log/:id/origin': {
    own: ({ sendLogId }) => ({ path: `/send_log/${sendLogId}/origin` }),
    foreign: ({ sendLogId }) => ({ path: { ask: { path: `/send_log/${sendLogId}/origin` }, gets: notFound } }),
  },
  'GET /send_log/:id/deliveries': {
    own: ({ sendLogId }) => ({ path: `/send_log/${sendLogId}/deliveries` }),
    foreign: ({ sendLogId }) => ({ path: { ask: { path: `/send_log/${sendLogId}/deliveries` }, gets: notFound } }),
  },
  'GET /delivery/:id': {
    own: ({ unknownDeliveryId }) => ({ path: `/delivery/${unknownDeliveryId}` }),
    foreign: ({ unknownDeliveryId }) => ({
      path: { ask: { path: `/delivery/${unknownDeliveryId}` }, gets: notFound },
    }),
  },
  'PUT /send_log/:id': {
    own: ({ openRunId }) => ({ path: `/send_log/${openRunId}`, body: { update_info: { state: 'paused' } } }),
    foreign: ({ openRunId }) =>
      Object.fromEntries(
        ['paused', 'sending', 'cancelled'].map((state) => [
          `path, ${state}`,
          { ask: { path: `/send_log/${openRunId}`, body: { update_info: { state } } }, gets: notFound },
        ]),
      ),
  },
  'POST /delivery/:id/retry': {
    own: ({ unknownDeliveryId: id }) => ({ path: `/delivery/${id}/retry` }),
    foreign: ({ unknownDeliveryId: id }) => ({ path: { ask: { path: `/delivery/${id}/retry` }, gets: notFound } }),
  },
  'POST /send_log/:id/retry': {
    own: ({ sendLogId }) => ({ path: `/send_log/${sendLogId}/retry` }),
    foreign: ({ sendLogId }) => ({ path: { ask: { path: `/send_log/${sendLogId}/retry` }, gets: notFound } }),
  },
  'PUT /delivery/:id': {
    own: ({ unknownDeliveryId }) => ({
      path: `/delivery/${unknownDeliveryId}`,
      body: { update_info: { state: 'queued' }, claim_no: 1 },
    }),
    foreign: ({ unknownDeliveryId }) =>
      Object.fromEntries(
        ['sent', 'queued'].map((state) => [
          `path, ${state}`,
          {
            ask: { path: `/delivery/${unknownDeliveryId}`, body: { update_info: { state }, claim_no: 1 } },
            gets: notFound,
          },
        ]),
      ),
  },
  'POST /send_log': {
    own: (owner) => ({
      path: '/send_log',
      body: { sender_group_id: owner.senderGroupId, attack_list: [owner.prospectIds[0]] },
    }),
    foreign: (victim, asker) => ({
      'body, group': {
        ask: {
          path: '/send_log',
          body: { sender_group_id: victim.senderGroupId, attack_list: [asker.prospectIds[0]] },
        },
        gets: notFound,
      },
      'body, list': {
        ask: { path: '/send_log', body: { sender_group_id: asker.senderGroupId, attack_list: victim.prospectIds } },
        gets: { shows: { status: 'no-added', id: null, skipped: skippedAll(victim) } },
      },
    }),
  },

  'POST /reservation': {
    own: (owner) => ({ path: '/reservation', body: reservationOf(owner.senderId, target(owner)) }),
    foreign: (victim, asker) => ({
      'body, sender': {
        ask: { path: '/reservation', body: reservationOf(victim.senderId, target(asker)) },
        gets: notFound,
      },
      'body, list': {
        ask: { path: '/reservation', body: reservationOf(asker.senderId, foreignTargets(victim)) },
        gets: { shows: { status: 'no-added', id: null, skipped: skippedAll(victim) } },
      },
    }),
  },
  'PUT /reservation/:id': {
    own: ({ reservationId }) => ({ path: `/reservation/${reservationId}`, body: { update_info: { active: 0 } } }),
    foreign: ({ reservationId, senderId, prospectIds }, asker) => {
      const change = (id: number, update_info: object) => ({
        path: `/reservation/${id}`,
        body: { version: 1, update_info },
      });
      return {
        path: { ask: { path: `/reservation/${reservationId}`, body: { update_info: { active: 0 } } }, gets: notFound },
        'path, a change': { ask: change(reservationId, { datetime_list: null }), gets: notFound },
        'body, sender': { ask: change(asker.reservationId, { sender_id: senderId }), gets: notFound },
        'body, company': {
          ask: change(asker.reservationId, { remove_prospect_ids: prospectIds.slice(-1) }),
          gets: {
            shows: {
              status: 'updated',
              id: asker.reservationId,
              version: 1,
              skipped: [{ prospect_id: prospectIds.at(-1), reason: 'not_found' }],
            },
          },
        },
      };
    },
  },
  'GET /reservation/view': {
    own: ({ senderId }) => ({ path: `/reservation/view?sender_id=${senderId}` }),
    foreign: ({ senderId, senderGroupId, marker }) => {
      const asked = (query: string) => ({
        ask: { path: `/reservation/view?${query}` },
        gets: { shows: NO_RESERVATION },
      });
      return {
        sender: asked(`sender_id=${senderId}`),
        group: asked(`sender_group_id=${senderGroupId}`),
        search: asked(`search=${encodeURIComponent(marker)}`),
      };
    },
  },
  'GET /reservation/calendar': {
    own: () => ({ path: `/reservation/calendar?${CLOSING_DAY}` }),
    foreign: ({ senderGroupId }) => ({
      group: {
        ask: { path: `/reservation/calendar?${CLOSING_DAY}&sender_group_id=${senderGroupId}` },
        gets: {
          shows: {
            days: [
              {
                day: '2099-12-01',
                holiday: null,
                closing_day: null,
                is_open: 1,
                limit: null,
                planned: 0,
                sent: 0,
                items: [],
                more: 0,
              },
            ],
          },
        },
      },
    }),
  },
  'GET /reservation/:id': {
    own: ({ reservationId }) => ({ path: `/reservation/${reservationId}` }),
    foreign: ({ reservationId }) => ({ path: { ask: { path: `/reservation/${reservationId}` }, gets: notFound } }),
  },
  'GET /reservation/:id/targets': {
    own: ({ reservationId }) => ({ path: `/reservation/${reservationId}/targets` }),
    foreign: ({ reservationId }) => ({
      path: { ask: { path: `/reservation/${reservationId}/targets` }, gets: notFound },
    }),
  },
  'GET /restored': nameless('/restored'),
  'POST /restored': {
    own: () => ({ path: '/restored', body: { act: 'drop' } }),
    foreign: () => ({ plain: { ask: { path: '/restored', body: { act: 'drop' } }, gets: { status: 200 } } }),
  },
  'POST /reservation/:id/send_now': {
    own: ({ reservationId }) => ({ path: `/reservation/${reservationId}/send_now`, body: { version: 1 } }),
    foreign: ({ reservationId }) => ({
      path: { ask: { path: `/reservation/${reservationId}/send_now`, body: { version: 1 } }, gets: notFound },
    }),
  },
};
