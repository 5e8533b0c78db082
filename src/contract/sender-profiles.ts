import { z } from 'zod';
import { MAX_SENDERS, MAX_TEMPLATES } from '#domain/limits.ts';
import { call } from './call.ts';
import { flagFilter, idFilter, idOrBounds, listCall } from './list.ts';
import * as fields from './sender-fields.ts';
import { flag, id, idInPath, version } from './wire.ts';

const active = flag.meta({
  description: '使っているなら1です。0なら、この差出人の送信者もすべて無効です。',
  examples: [1],
});
const templateIds = z.array(id).meta({
  description: 'この差出人が使うテンプレートのidです（有効な送信者のあるもの）。小さい順です。',
  examples: [[1, 2]],
});

export const listSenderProfiles = listCall({
  path: '/sender_profile/list',
  name: 'SenderProfile',
  summary: '差出人の一覧',
  description: `差出人は、送信者の氏名・アドレス・Bcc・返信先・署名です。テンプレートと組になったものが送信者（\`/sender\`）です。

idの順です。1回に返す件数より多いときは、\`offset\` で続きを読みます。`,
  where: {
    id: idOrBounds,
    sender_group_id: idFilter.meta({ examples: [1] }),
    active: flagFilter.meta({ examples: [1] }),
  },
  row: z.object({
    id: id.describe('差出人のidです。'),
    sender_group_id: id.describe('送信者グループのidです。'),
    group: fields.groupName,
    ...fields.shownPerson,
    reply_to: fields.replyTo,
    signature: fields.shownSignature,
    mails_per_minute: fields.mailsPerMinute,
    max_mails_per_minute: fields.maxMailsPerMinute,
    active,
    is_confirmed: fields.isConfirmed,
    confirmation_sent_at: fields.confirmationSentAt,
    sender_id: id.describe('この差出人の最初の送信者のidです。確認メールは、これを指定して送ります。'),
    template_ids: templateIds,
    version,
  }),
});

export const updateSenderProfile = call({
  method: 'PUT',
  path: '/sender_profile/:id',
  summary: '差出人と、そのテンプレートを変更する',
  description: `指定した項目だけを変更します。この差出人のすべての送信者が変わります。

- \`version\` には、読んだときの値を指定します。そのあとに内容かテンプレートが変わっていれば、何もせずに 409 を返します。
- \`template_ids\` を指定すると、そのテンプレートの送信者を有効にし（なければ追加し）、ほかを無効にします。予約のある送信者は、無効にできません。
- \`active\` を0にすると、すべての送信者を無効にします。
- ${fields.CONFIRMATION}
- 受け付けた送信は、受け付けたときの内容のまま送ります。予約は、送信が始まるときの内容で送ります。`,
  errors: ['not_found', 'template_archived', 'above_limit', 'profile_changed', 'has_reservations', 'too_many_senders'],
  params: z.object({ id: idInPath.describe('差出人のidです。') }),
  body: z.strictObject({
    version: version.max(100),
    update_info: z
      .strictObject({
        ...fields.personFields,
        active: flag.meta({ description: '使うなら1、使わないなら0です。', examples: [1] }),
        template_ids: z
          .array(id)
          .max(MAX_TEMPLATES)
          .meta({
            description: `この差出人が使うテンプレートのidです。${MAX_TEMPLATES}件までです。`,
            examples: [[1, 2]],
          }),
      })
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください')
      .refine(({ active, template_ids = [] }) => active !== 0 || template_ids.length === 0, {
        path: ['template_ids'],
        message: '使わない差出人には、テンプレートを選べません',
      })
      .describe('変更する項目です。'),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    id: id.describe('差出人のidです。'),
    version,
    is_confirmed: fields.isConfirmed,
    template_ids: templateIds,
  }),
});

/** The profiles that use a template, in calls of templates. */
export const profilesOfTemplate = z
  .array(id)
  .max(MAX_SENDERS)
  .meta({ description: 'このテンプレートを使う差出人のidです（有効な送信者のあるもの）。', examples: [[1]] });
