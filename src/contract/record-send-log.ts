import { z } from 'zod';
import { MAX_RESEND_DAYS } from '#domain/limits.ts';
import { call } from './call.ts';
import { dateTime } from './list-filter.ts';
import { attackList, skippedTarget, target } from './target.ts';
import { id } from './wire.ts';

export const recordSendLog = call({
  method: 'POST',
  path: '/send_log',
  summary: 'このツールの外で送ったメールを記録する',
  description: `記録した見込み客は、その日時に送信済みとして扱います（再送信間隔の判定と最終送信日時に反映します）。このツールから送ったメールは自動で記録するので、この呼び出しは要りません。

- \`attack_list\` は見込み客のid、または \`prospect_id\` を含むオブジェクトの配列です。
- \`sent_at\` は省略すると現在の日時です。未来の日時と、${MAX_RESEND_DAYS}日より前の日時は記録できません。
- 自分のリストにない見込み客は \`not_found\`、2回目以降の同じ見込み客は \`duplicate\` として \`skipped\` で返します。記録するものがなければ \`no-added\` です。何も保存せず、\
\`id\` は null です。`,
  errors: {
    invalid_sent_at: { status: 400, when: '送信日時が未来か、古すぎるとき' },
    not_found: { status: 404, when: '送信者グループがないか、ほかのアカウントのものであるとき' },
  },
  largeBody: true,
  body: z.strictObject({
    sender_group_id: id.describe('送信者グループのidです。'),
    attack_list: attackList(z.union([id, target])).meta({ description: '送った見込み客です。', examples: [[1, 2, 5]] }),
    sent_at: dateTime.optional().describe('送信日時です。'),
    test_send_mode: z.literal(0).optional().describe('記録できるのは、本当に送ったメールだけです。'),
  }),
  response: z.object({
    status: z.enum(['added', 'no-added']).describe('記録したか、記録するものがなかったかです。'),
    id: id.nullable().describe('送信ログのidです。'),
    skipped: z.array(skippedTarget).describe('記録しなかったものです。'),
  }),
});
