import { expect } from 'vitest';
import { MERGE_FIELDS } from '#domain/mail/merge-fields.ts';
import { TEMPLATE_SAMPLES } from '#server/features/mail-templates/samples.ts';
import { idOf, list, type Step, type Story } from './axios-step.ts';

const addedTemplate = (story: Story) => idOf(story, 'POST /mail_template', 'id');
const addedFolder = (story: Story) => idOf(story, 'POST /mail_template_folder', 'id');
const version = expect.stringMatching(/^[\w-]{22}$/);
const time = expect.stringMatching(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/);

/** The part of test/axios-story.ts about a template: read, preview and change it. */
export const TEMPLATE_STEPS: readonly Step[] = [
  [
    'GET /mail_template/:id',
    ({ templateId }) => [`/mail_template/${templateId}`],
    ({ templateId: id, senderId, senderGroupId }) => ({
      id,
      name: 'ひな形',
      subject: 'ひな形の件名',
      text_body: '本文',
      html_body: '<p>本文</p>',
      editor: 'html',
      text_follows: 0,
      folder_id: null,
      archived: 0,
      version,
      number: 1,
      updated_at: time,
      updated_by: null,
      reservations: expect.any(Number),
      asks_for_reply: 0,
      sendgrid_template_id: null,
      sendgrid_footer_confirmed: 0,
      senders: [
        {
          id: senderId,
          sender_group_id: senderGroupId,
          group: 'グループ',
          profile_id: expect.any(Number),
          person_in_charge: '担当',
          email: 'sender@example.com',
          subject: '件名',
          own_subject: '件名',
          active: 1,
        },
      ],
      sender_profile_ids: [expect.any(Number)],
      merge_fields: MERGE_FIELDS,
      faults: [],
    }),
  ],
  [
    'POST /mail_template/:id/preview',
    ({ templateId, senderId: sender_id }) => [
      `/mail_template/${templateId}/preview`,
      {
        sender_id,
        subject: '{{ company_name }}様へ',
        text_body: '{{ person_in_charge }}',
        html_body: '',
        company_name: 'あおば',
        person_in_charge: '',
        has_candidate_dates: 0,
      },
    ],
    () => ({
      subject: 'あおば様へ',
      from: { name: '担当', address: 'sender@example.com' },
      text: expect.stringMatching(/^ご担当者様\n\n-{60}\n送信者: 株式会社見本\n/),
      html: '',
      warnings: [{ kind: 'blank_field', text: 'person_in_charge' }],
    }),
  ],
  [
    'PUT /mail_template/:id',
    (story) => [
      `/mail_template/${story.templateId}`,
      {
        version: idOf(story, 'GET /mail_template/:id', 'version'),
        update_info: { name: '新しい名前', text_body: '本文', html_body: '<p>本文</p>', senders: [] },
      },
    ],
    ({ templateId: id }) => ({
      status: 'updated',
      id,
      version,
      number: 2,
      updated_at: time,
      reservations: expect.any(Number),
    }),
  ],
  [
    'POST /mail_template/:id/test',
    ({ templateId }) => [
      `/mail_template/${templateId}/test`,
      {
        sender_id: null,
        subject: '件名',
        text_body: '本文',
        html_body: '',
        company_name: 'あおば',
        person_in_charge: '',
        has_candidate_dates: 0,
      },
    ],
    () => ({ status: 'sent', to: expect.stringContaining('@example.com') }),
  ],
  [
    'POST /mail_template_folder',
    () => ['/mail_template_folder', { add_info: { name: '展示会' } }],
    () => ({ status: 'added', id: expect.any(Number) }),
  ],
  [
    'PUT /mail_template_folder/:id',
    (story) => [`/mail_template_folder/${addedFolder(story)}`, { update_info: { name: '新規開拓' } }],
    () => ({ status: 'updated' }),
  ],
  ['GET /mail_template/samples', () => ['/mail_template/samples'], () => TEMPLATE_SAMPLES],
  [
    'POST /mail_template',
    (story) => [
      '/mail_template',
      { add_info: { name: '見本から', sample: 'first_greeting', folder_id: addedFolder(story) } },
    ],
    () => ({ status: 'added', id: expect.any(Number) }),
  ],
  list('/mail_template_folder/list', null, ['name', 'templates'], () => [{ name: '新規開拓', templates: 1 }]),
  list(
    '/mail_template/list',
    (story) => ({ folder_id: addedFolder(story), search: '見本', archived: 0 }),
    ['id', 'name', 'subject', 'editor', 'senders', 'reservations', 'sent'],
    (story) => [
      {
        id: addedTemplate(story),
        name: '見本から',
        subject: 'ご挨拶とお打ち合わせのお願い',
        editor: 'rich',
        senders: [],
        reservations: 0,
        sent: 0,
      },
    ],
  ),
  [
    'GET /mail_template/:id/version/list',
    ({ templateId }) => [`/mail_template/${templateId}/version/list`, null, { params: { limit: 1, offset: 1 } }],
    () => [{ number: 1, name: 'ひな形', subject: 'ひな形の件名', at: time, member: null }],
  ],
  [
    'GET /mail_template/:id/version/:number',
    ({ templateId }) => [`/mail_template/${templateId}/version/2`],
    () => ({
      number: 2,
      name: '新しい名前',
      subject: 'ひな形の件名',
      text_body: '本文',
      html_body: '<p>本文</p>',
      editor: 'html',
      text_follows: 0,
      at: time,
      member: '利用者',
    }),
  ],
  [
    'POST /mail_template/:id/version/:number/restore',
    (story) => [
      `/mail_template/${story.templateId}/version/1/restore`,
      { version: idOf(story, 'PUT /mail_template/:id', 'version') },
    ],
    ({ templateId: id }) => ({
      status: 'updated',
      id,
      version,
      number: 3,
      updated_at: time,
      reservations: expect.any(Number),
    }),
  ],
  [
    'PUT /mail_template/:id/folder',
    (story) => [`/mail_template/${addedTemplate(story)}/folder`, { update_info: { folder_id: null } }],
    (story) => ({ status: 'updated', id: addedTemplate(story) }),
  ],
  [
    'PUT /mail_template/:id/sendgrid_footer',
    ({ templateId }) => [`/mail_template/${templateId}/sendgrid_footer`, { update_info: { confirmed: 1 } }],
    ({ templateId: id }) => ({ status: 'updated', id }),
  ],
  ...(['archive', 'restore'] as const).map(
    (act): Step => [
      `POST /mail_template/:id/${act}`,
      (story) => [`/mail_template/${addedTemplate(story)}/${act}`],
      (story) => ({ status: 'updated', id: addedTemplate(story), ...(act === 'archive' && { deactivated: 0 }) }),
    ],
  ),
  [
    'POST /mail_template_folder/:id/remove',
    (story) => [`/mail_template_folder/${addedFolder(story)}/remove`],
    () => ({ status: 'removed' }),
  ],
];
