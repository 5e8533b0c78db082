import { domainOf, type FullTenant } from './full-tenant.ts';
import type { Ask, MatrixRow, Nothing } from './matrix-row.ts';

const notFound: Nothing = { status: 404 };

const newSender = (sender_group_id: number, template_id: number): Ask => ({
  path: '/sender',
  body: {
    add_info: {
      sender_group_id,
      template_id,
      person_in_charge: '新しい送信者',
      email: 'new@example.com',
      subject: '件名',
    },
  },
});

const senderChange = (id: number, version: string, update_info: object): Ask => ({
  path: `/sender/${id}`,
  body: { version, update_info },
});

const profileChange = (id: number, version: string, update_info: object): Ask => ({
  path: `/sender_profile/${id}`,
  body: { version, update_info },
});

const mailboxChange = (id: number, update_info: object): Ask => ({
  path: `/mailbox/${id}`,
  body: { version: 1, update_info },
});

/** The rows of the matrix for the calls that change groups, senders and mailboxes. */
export const SENDER_ROWS: Record<string, MatrixRow> = {
  'POST /sender_group': {
    own: () => ({ path: '/sender_group', body: { add_info: { group_name: '新しいグループ' } } }),
    // The call takes no id of another account.
    foreign: () => ({}),
  },
  'PUT /sender_group/:id': {
    own: ({ senderGroupId }) => ({
      path: `/sender_group/${senderGroupId}`,
      body: { update_info: { group_name: '新しい名前' } },
    }),
    foreign: ({ senderGroupId }) => ({
      path: {
        ask: { path: `/sender_group/${senderGroupId}`, body: { update_info: { group_name: '乗っ取り' } } },
        gets: notFound,
      },
    }),
  },
  'PUT /legal_profile/:sender_group_id': {
    own: ({ senderGroupId }) => ({
      path: `/legal_profile/${senderGroupId}`,
      body: { update_info: { department: '新しい部署', confirmed: 1 } },
    }),
    foreign: ({ senderGroupId }) => ({
      path: {
        ask: { path: `/legal_profile/${senderGroupId}`, body: { update_info: { official_name: '乗っ取り' } } },
        gets: notFound,
      },
    }),
  },
  'GET /legal_check/:sender_id': {
    own: ({ senderId }) => ({ path: `/legal_check/${senderId}` }),
    foreign: ({ senderId }) => ({ path: { ask: { path: `/legal_check/${senderId}` }, gets: notFound } }),
  },
  'GET /domain_health/list': {
    own: ({ marker }) => ({ path: `/domain_health/list?where_info[domain]=${domainOf(marker)}` }),
    foreign: ({ marker }) => ({
      'where_info domain': {
        ask: { path: `/domain_health/list?where_info[domain]=${domainOf(marker)}` },
        gets: { shows: [] },
      },
    }),
  },
  'POST /domain_health/check': {
    own: ({ marker }) => ({ path: '/domain_health/check', body: { domain: domainOf(marker) } }),
    foreign: ({ marker }) => ({
      body: { ask: { path: '/domain_health/check', body: { domain: domainOf(marker) } }, gets: notFound },
    }),
  },
  'POST /domain_health/send_test': {
    own: ({ marker }) => ({ path: '/domain_health/send_test', body: { domain: domainOf(marker) } }),
    foreign: ({ marker }) => ({
      body: { ask: { path: '/domain_health/send_test', body: { domain: domainOf(marker) } }, gets: notFound },
    }),
  },
  'GET /sender/:id': {
    own: ({ senderId }) => ({ path: `/sender/${senderId}` }),
    foreign: ({ senderId }) => ({ path: { ask: { path: `/sender/${senderId}` }, gets: notFound } }),
  },
  'POST /sender': {
    own: ({ senderGroupId, templateId }) => newSender(senderGroupId, templateId),
    foreign: (victim, asker) => ({
      'body, group': { ask: newSender(victim.senderGroupId, asker.templateId), gets: notFound },
      'body, template': { ask: newSender(asker.senderGroupId, victim.templateId), gets: notFound },
      'body, both': { ask: newSender(victim.senderGroupId, victim.templateId), gets: notFound },
    }),
  },
  'PUT /sender/:id': {
    own: async ({ senderId }, client) => {
      const { body } = await client.get(`/sender/${senderId}`);
      return senderChange(senderId, (body as { version: string }).version, { subject: '新しい件名' });
    },
    foreign: (victim) => ({
      path: { ask: senderChange(victim.senderId, '', { subject: '乗っ取り' }), gets: notFound },
    }),
  },
  'PUT /sender_profile/:id': {
    own: async ({ senderProfileId, templateId }, client) => {
      const { body } = await client.get(`/sender_profile/list?where_info[id]=${senderProfileId}`);
      const [profile] = body as { version: string; template_ids: number[] }[];
      return profileChange(senderProfileId, profile?.version ?? '', {
        signature: '新しい署名',
        template_ids: profile?.template_ids ?? [templateId],
      });
    },
    // A template of another account with the version of the account's own profile: profiles.test.ts.
    foreign: (victim) => ({
      path: { ask: profileChange(victim.senderProfileId, '', { signature: '乗っ取り' }), gets: notFound },
    }),
  },
  'POST /mailbox': {
    own: () => ({
      path: '/mailbox',
      body: { add_info: { kind: 'smtp', name: '新しい箱', address: 'new@example.com', smtp_host: 'smtp.example.com' } },
    }),
    // The call takes no id of another account.
    foreign: () => ({}),
  },
  'PUT /mailbox/:id': {
    own: ({ mailboxId }) => mailboxChange(mailboxId, { name: '新しい名前' }),
    foreign: (victim) => ({
      path: { ask: mailboxChange(victim.mailboxId, { name: '乗っ取り' }), gets: notFound },
      'path, disconnecting': { ask: mailboxChange(victim.mailboxId, { active: 0 }), gets: notFound },
    }),
  },
  'POST /mailbox/:id/check': {
    own: ({ mailboxId }) => ({ path: `/mailbox/${mailboxId}/check`, body: {} }),
    foreign: ({ mailboxId }) => ({ path: { ask: { path: `/mailbox/${mailboxId}/check`, body: {} }, gets: notFound } }),
  },
  'POST /sender/:id/confirmation': {
    own: ({ unconfirmedSenderId }) => ({ path: `/sender/${unconfirmedSenderId}/confirmation` }),
    foreign: ({ unconfirmedSenderId }) => ({
      path: { ask: { path: `/sender/${unconfirmedSenderId}/confirmation` }, gets: notFound },
    }),
  },
  'POST /sender_confirmation': {
    open: true,
    own: ({ senderSecret }: FullTenant) => ({ path: '/sender_confirmation', body: { key: senderSecret } }),
    foreign: () => ({}),
  },
};
