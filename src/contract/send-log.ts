import { z } from 'zod';
import { MAX_RESEND_DAYS } from '#domain/limits.ts';
import { call } from './call.ts';
import {
  dateTime,
  dateTimeOrBounds,
  flagFilter,
  idFilter,
  idOrBounds,
  listCall,
  MAX_LIST_ROWS_WITH_ATTACK_LIST,
} from './list-call.ts';
import { attackList, skippedTarget, target } from './target.ts';
import { flag, id } from './wire.ts';

export const listSendLogs = listCall({
  path: '/send_log/list',
  name: 'SendLog',
  summary: '送信ログの一覧',
  description:
    '新しい順（idの大きい順）です。`attack_list` は、メールを送った見込み客（送信済みと連絡不明）のidです。送信待ち・失敗・取り消しは入りません。ツールの外で送った記録では、記録した見込み客のid、' +
    '`sender_id` は null です。`sent_at` は日本時間の `YYYY/MM/DD HH:mm:ss` です。続きは `where_info[id][lt]` に最後のidを指定すると取得できます。',
  where: {
    id: idOrBounds,
    sender_group_id: idFilter.meta({ examples: [1] }),
    sender_id: idFilter,
    test_send_mode: flagFilter.meta({ examples: [0] }),
    sent_at: dateTimeOrBounds,
  },
  row: z.object({
    id: id.describe('送信ログのidです。'),
    sender_group_id: id.describe('送信者グループのidです。'),
    sender_id: id.nullable().describe('送信者のidです。'),
    sent_at: z.string().meta({ description: '送信日時です。', examples: ['2026/11/20 12:00:00'] }),
    attack_list: z.array(id).meta({ description: '送った見込み客のidです。', examples: [[1, 2, 5]] }),
    test_send_mode: flag.describe('テストモードなら1です。'),
  }),
  maxRows: MAX_LIST_ROWS_WITH_ATTACK_LIST,
});

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
