import { z } from 'zod';
import { parseName } from '#domain/company/person-name.ts';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { NAME_MESSAGES } from '../account/account.ts';
import { call } from '../call.ts';
import { flagFilter, idFilter, idOrBounds, wholeListCall } from '../list.ts';
import { flag, id, idempotencyHeaders, idInPath, seenVersion, version } from '../wire.ts';

export const listSenderGroups = wholeListCall({
  path: '/sender_group/list',
  name: 'SenderGroup',
  summary: '送信者グループの一覧',
  description:
    '操作できるグループを先にして、idの順です（idの範囲で絞り込むと、idの順です）。件数（`senders` 以降）が要らないときは、`columns` から外すと速くなります。',
  where: { id: idOrBounds, account_id: idFilter.meta({ examples: [1] }), active: flagFilter },
  row: z.object({
    id: id.describe('送信者グループのidです。'),
    group_name: z.string().meta({ description: '名前です。', examples: ['営業1課'] }),
    version: version.describe('名前を見分ける印です。名前が変わると、印も変わります。'),
    account_id: id.describe('アカウントのidです。'),
    active: flag.meta({ description: '使っているなら1です。', examples: [1] }),
    senders: z.int().meta({ description: '送信者の数です。', examples: [2] }),
    active_senders: z.int().meta({ description: '使っている送信者の数です。', examples: [2] }),
    sent_this_month: z
      .int()
      .meta({ description: '今月（日本時間）、会社に送ったメールの数です。テストは数えません。', examples: [120] }),
  }),
});

const groupName = z
  .string()
  .transform((written, context) => {
    const parsed = parseName(written);
    if (parsed.ok) return parsed.name;
    const isBlank = parsed.fault === 'blank';
    context.addIssue({
      code: 'custom',
      message: isBlank ? 'グループ名が入力されていません' : NAME_MESSAGES[parsed.fault],
    });
    return z.NEVER;
  })
  .meta({
    description: '名前です。アカウントの中で重複できません。',
    documentedAs: z.string().min(1).max(MAX_NAME_LENGTH),
  });

export const addSenderGroup = call({
  method: 'POST',
  path: '/sender_group',
  needs: 'admin',
  summary: '送信者グループを追加する',
  errors: ['group_name_taken', 'too_many_groups'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z.strictObject({ group_name: groupName }).describe('追加する内容です。'),
  }),
  response: z.object({
    status: z.literal('added').describe('追加しました。'),
    id: id.describe('送信者グループのidです。'),
  }),
});

export const updateSenderGroup = call({
  method: 'PUT',
  path: '/sender_group/:id',
  needs: 'admin',
  summary: '送信者グループの名前を変える、無効にする、有効に戻す',
  errors: ['group_name_taken', 'group_changed', 'has_reservations', 'last_active_group'],
  params: z.object({ id: idInPath.describe('送信者グループのidです。') }),
  body: z.strictObject({
    update_info: z
      .strictObject({
        group_name: groupName.optional(),
        active: flag.optional().describe('無効にするなら0、有効に戻すなら1です。'),
      })
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください'),
    version: seenVersion,
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。') }),
});
