import { z } from 'zod';
import { listCall, MAX_LIST_ROWS_WITH_ATTACK_LIST } from './list-call.ts';
import { dateTimeOrBounds, flagFilter, idFilter, idOrBounds } from './list-filter.ts';
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
