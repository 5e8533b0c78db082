import { z } from 'zod';
import { listCall } from './list-call.ts';
import { flagFilter, idFilter, idOrBounds } from './list-filter.ts';
import { flag, id, version } from './wire.ts';

export const listSenderGroups = listCall({
  path: '/sender_group/list',
  name: 'SenderGroup',
  summary: '送信者グループの一覧',
  description: 'idの順です。件数（`senders` 以降）が要らないときは、`columns` から外すと速くなります。',
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
