import { expect } from 'vitest';
import { MERGE_FIELDS } from '#domain/merge-fields.ts';
import { idOf, type Step } from './axios-step.ts';

/** The part of test/axios-story.ts about a template: read, preview and change it. */
export const TEMPLATE_STEPS: readonly Step[] = [
  [
    'GET /mail_template/:id',
    ({ templateId }) => [`/mail_template/${templateId}`],
    ({ templateId: id, senderId }) => ({
      id,
      name: 'ひな形',
      text_body: '本文',
      html_body: '<p>本文</p>',
      version: expect.stringMatching(/^[\w-]{22}$/),
      updated_at: expect.stringMatching(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/),
      senders: [
        {
          id: senderId,
          group: 'グループ',
          person_in_charge: '担当',
          email: 'sender@example.com',
          subject: '件名',
          active: 1,
        },
      ],
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
      text: 'ご担当者様',
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
      version: expect.stringMatching(/^[\w-]{22}$/),
      updated_at: expect.any(String),
    }),
  ],
];
