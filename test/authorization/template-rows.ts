import type { Ask, MatrixRow, Nothing } from './matrix-row.ts';

const notFound: Nothing = { status: 404 };

const TEMPLATE = { text_body: '{{ company_name }}', html_body: '<p>{{ company_name }}</p>' };

const templateChange = (templateId: number, version: string, senderId: number): Ask => ({
  path: `/mail_template/${templateId}`,
  body: { version, update_info: { ...TEMPLATE, name: '名前', senders: [{ id: senderId, subject: '件名' }] } },
});

const EXAMPLE = { company_name: '株式会社見本', person_in_charge: '' };

/** Makes a request for a preview or a test mail. */
const unsaved =
  (act: 'preview' | 'test') =>
  (templateId: number, sender_id: number | null, company: object = EXAMPLE): Ask => ({
    path: `/mail_template/${templateId}/${act}`,
    body: { ...TEMPLATE, sender_id, subject: '件名', ...company, has_candidate_dates: 1 },
  });

const unsavedRow = (act: 'preview' | 'test'): MatrixRow => {
  const asks = unsaved(act);
  return {
    own: ({ templateId, senderId }) => asks(templateId, senderId),
    foreign: (victim, asker) => ({
      path: { ask: asks(victim.templateId, null), gets: notFound },
      'path and sender': { ask: asks(victim.templateId, victim.senderId), gets: notFound },
      'body, sender': { ask: asks(asker.templateId, victim.senderId), gets: notFound },
      'body, company': {
        ask: asks(asker.templateId, null, { prospect_id: victim.prospectIds[0] }),
        gets: notFound,
      },
    }),
  };
};

/** Makes a row for a call on one template that only its path names. */
const ofTemplate = (path: (templateId: number) => string, body?: object): MatrixRow => {
  const ask = (templateId: number): Ask => ({ path: path(templateId), ...(body && { body }) });
  return {
    own: ({ spareTemplateId }) => ask(spareTemplateId),
    foreign: ({ spareTemplateId }) => ({ path: { ask: ask(spareTemplateId), gets: notFound } }),
  };
};

const newTemplate = (add_info: object): Ask => ({
  path: '/mail_template',
  body: { add_info: { name: '新しいテンプレート', ...add_info } },
});

const move = (templateId: number, folder_id: number): Ask => ({
  path: `/mail_template/${templateId}/folder`,
  body: { update_info: { folder_id } },
});

const rename = (folderId: number): Ask => ({
  path: `/mail_template_folder/${folderId}`,
  body: { update_info: { name: '新しい名前' } },
});

/** The rows of the matrix for the calls of templates. */
export const TEMPLATE_ROWS: Record<string, MatrixRow> = {
  'GET /mail_template/:id': {
    own: ({ templateId }) => ({ path: `/mail_template/${templateId}` }),
    foreign: ({ templateId }) => ({ path: { ask: { path: `/mail_template/${templateId}` }, gets: notFound } }),
  },
  'PUT /mail_template/:id': {
    own: async ({ templateId, senderId }, client) => {
      const { body } = await client.get(`/mail_template/${templateId}`);
      return templateChange(templateId, (body as { version: string }).version, senderId);
    },
    // A profile of another account with the version of the account's own template: profiles.test.ts.
    foreign: (victim, asker) => ({
      path: { ask: templateChange(victim.templateId, '', asker.senderId), gets: notFound },
      'body, sender': { ask: templateChange(asker.templateId, '', victim.senderId), gets: notFound },
      both: { ask: templateChange(victim.templateId, '', victim.senderId), gets: notFound },
    }),
  },
  'POST /mail_template/:id/preview': unsavedRow('preview'),
  'POST /mail_template/:id/test': unsavedRow('test'),

  'GET /mail_template/list': {
    own: ({ templateId }) => ({ path: `/mail_template/list?where_info[id]=${templateId}` }),
    foreign: ({ templateId, folderId, marker }) => ({
      id: { ask: { path: `/mail_template/list?where_info[id]=${templateId}` }, gets: { shows: [] } },
      folder: { ask: { path: `/mail_template/list?where_info[folder_id]=${folderId}` }, gets: { shows: [] } },
      search: {
        ask: { path: `/mail_template/list?where_info[search]=${encodeURIComponent(marker)}` },
        gets: { shows: [] },
      },
    }),
  },
  'GET /mail_template/samples': {
    own: () => ({ path: '/mail_template/samples' }),
    // The call takes no id of an account.
    foreign: () => ({}),
  },
  'POST /mail_template': {
    own: ({ templateId, folderId }) => newTemplate({ copy_of: templateId, folder_id: folderId }),
    foreign: (victim, asker) => ({
      'body, copied': { ask: newTemplate({ copy_of: victim.templateId }), gets: notFound },
      'body, folder': { ask: newTemplate({ copy_of: asker.templateId, folder_id: victim.folderId }), gets: notFound },
      'body, profile': {
        ask: newTemplate({ copy_of: asker.templateId, sender_profile_ids: [victim.senderProfileId] }),
        gets: notFound,
      },
    }),
  },
  'PUT /mail_template/:id/folder': {
    own: ({ templateId, folderId }) => move(templateId, folderId),
    foreign: (victim, asker) => ({
      path: { ask: move(victim.templateId, asker.folderId), gets: notFound },
      'body, folder': { ask: move(asker.templateId, victim.folderId), gets: notFound },
    }),
  },
  'PUT /mail_template/:id/sendgrid_footer': ofTemplate((id) => `/mail_template/${id}/sendgrid_footer`, {
    update_info: { confirmed: 1 },
  }),
  'POST /mail_template/:id/archive': ofTemplate((id) => `/mail_template/${id}/archive`),
  'POST /mail_template/:id/restore': ofTemplate((id) => `/mail_template/${id}/restore`),
  'GET /mail_template/:id/version/list': ofTemplate((id) => `/mail_template/${id}/version/list`),
  'GET /mail_template/:id/version/:number': ofTemplate((id) => `/mail_template/${id}/version/1`),
  'POST /mail_template/:id/version/:number/restore': {
    own: async ({ spareTemplateId }, client) => {
      const { body } = await client.get(`/mail_template/${spareTemplateId}`);
      const { version } = body as { version: string };
      return { path: `/mail_template/${spareTemplateId}/version/1/restore`, body: { version } };
    },
    foreign: ({ spareTemplateId }) => ({
      path: {
        ask: { path: `/mail_template/${spareTemplateId}/version/1/restore`, body: { version: '' } },
        gets: notFound,
      },
    }),
  },

  'GET /mail_template_folder/list': {
    own: ({ folderId }) => ({ path: `/mail_template_folder/list?where_info[id]=${folderId}` }),
    foreign: ({ folderId }) => ({
      id: { ask: { path: `/mail_template_folder/list?where_info[id]=${folderId}` }, gets: { shows: [] } },
    }),
  },
  'POST /mail_template_folder': {
    own: () => ({ path: '/mail_template_folder', body: { add_info: { name: '新しいフォルダー' } } }),
    // The call takes no id of another account.
    foreign: () => ({}),
  },
  'PUT /mail_template_folder/:id': {
    own: ({ folderId }) => rename(folderId),
    foreign: ({ folderId }) => ({ path: { ask: rename(folderId), gets: notFound } }),
  },
  'POST /mail_template_folder/:id/remove': {
    own: ({ folderId }) => ({ path: `/mail_template_folder/${folderId}/remove` }),
    foreign: ({ folderId }) => ({
      path: { ask: { path: `/mail_template_folder/${folderId}/remove` }, gets: notFound },
    }),
  },
};
