import { z } from 'zod';
import { call } from '../call.ts';

const count = (description: string) => z.int().describe(description);

export const getInbox = call({
  method: 'GET',
  path: '/inbox',
  summary: '返信や、届かずに戻ったメールを読むメールボックスの状態',
  response: z.object({
    state: z
      .enum(['off', 'reading', 'failing'])
      .describe('設定していない（`off`）、読んでいる（`reading`）、読めていない（`failing`）のどれかです。'),
    last_read_at: z.string().nullable().describe('最後に読み終えた日時です。まだなら null です。'),
    fault: z.enum(['connection', 'login', 'mailbox', 'other']).nullable().describe('最後に読めなかった理由です。'),
    mails: count('これまでに読んだメールの数です。'),
    unmatched: count('そのうち、どの送信とも関係がなかったメールの数です。'),
    skipped: count('そのうち、読み取れなかったメールの数です。'),
  }),
});
