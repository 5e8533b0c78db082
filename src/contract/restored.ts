import { z } from 'zod';
import { call } from './call.ts';

/** What was open in a backup that was restored, and waits for a member. */

const over = z.int().meta({ description: '日時を過ぎたため、止まったままの予約の数です。', examples: [1] });

export const getRestored = call({
  method: 'GET',
  path: '/restored',
  summary: '復元した時点の送信と予約の数',
  description:
    'バックアップから復元すると、その時点で終わっていなかった送信と予約は、予定どおり送信するか、送信しないかを選ぶまで止まっています。' +
    '選んでいないものを数えます。',
  response: z.object({
    runs: z.int().meta({ description: '止まっている送信（`paused_by` が `restored`）の数です。', examples: [2] }),
    mails: z.int().meta({ description: 'その送信の、まだ送っていないメールの数です。', examples: [40] }),
    reservations: z.int().meta({ description: '止まっている予約（`state` が `held`）の数です。', examples: [3] }),
    over,
  }),
});

export const decideRestored = call({
  method: 'POST',
  path: '/restored',
  needs: 'admin',
  statementSeconds: 120,
  summary: '復元した時点の送信と予約を、すべて送信するか、すべて送信しない',
  description: `止まっている送信と予約のすべてについて、\`send\`（予定どおり送信する）か \`drop\`（送信しない）を選びます。\
1件ずつ選ぶには、\`PUT /send_log/{id}\` と \`PUT /reservation/{id}\` を使います。

- \`send\` では、送信を再開し、予約は予約日時に送信します。日時を過ぎた予約は、止まったまま残ります（\`over\`）。
- \`drop\` では、送信を中止し、予約を削除します。
- 途中で失敗したときは、もう一度呼び出すと残りを処理します。`,
  body: z.strictObject({
    act: z.enum(['send', 'drop']).meta({ description: '予定どおり送信するか、送信しないかです。', examples: ['drop'] }),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    runs: z.int().meta({ description: '再開、または中止した送信の数です。', examples: [2] }),
    reservations: z.int().meta({ description: '予約日時に送信する、または削除した予約の数です。', examples: [3] }),
    over,
  }),
});
