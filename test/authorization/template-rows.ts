import type { Ask, MatrixRow, Nothing } from './matrix-row.ts';

const notFound: Nothing = { status: 404 };

const TEMPLATE = { text_body: '{{ company_name }}', html_body: '<p>{{ company_name }}</p>' };

const templateChange = (templateId: number, version: string, senderId: number): Ask => ({
  path: `/mail_template/${templateId}`,
  body: { version, update_info: { ...TEMPLATE, name: '名前', senders: [{ id: senderId, subject: '件名' }] } },
});

const templatePreview = (templateId: number, sender_id: number | null): Ask => ({
  path: `/mail_template/${templateId}/preview`,
  body: {
    ...TEMPLATE,
    sender_id,
    subject: '件名',
    company_name: '株式会社見本',
    person_in_charge: '',
    has_candidate_dates: 1,
  },
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
    foreign: (victim, asker) => ({
      path: { ask: templateChange(victim.templateId, '', asker.senderId), gets: notFound },
      'body, sender': { ask: templateChange(asker.templateId, '', victim.senderId), gets: notFound },
      both: { ask: templateChange(victim.templateId, '', victim.senderId), gets: notFound },
    }),
  },
  'POST /mail_template/:id/preview': {
    own: ({ templateId, senderId }) => templatePreview(templateId, senderId),
    foreign: (victim, asker) => ({
      path: { ask: templatePreview(victim.templateId, null), gets: notFound },
      'path and sender': { ask: templatePreview(victim.templateId, victim.senderId), gets: notFound },
      'body, sender': { ask: templatePreview(asker.templateId, victim.senderId), gets: notFound },
    }),
  },
};
