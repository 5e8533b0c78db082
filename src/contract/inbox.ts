import { z } from 'zod';
import { call } from './call.ts';

const count = (description: string, example: number) => z.int().meta({ description, examples: [example] });

export const getInbox = call({
  method: 'GET',
  path: '/inbox',
  summary: '返信や、届かずに戻ったメールを読むメールボックスの状態',
  description: `管理者が設定した、1つのメールボックスの状態です（すべてのアカウントで共通）。設定していなければ \`off\` です。

- 宛先不明などで戻ったメールは、そのメールの結果を「失敗」に変え、宛先を配信停止（宛先不明）に登録します。
- メールの数は、すべてのアカウントの合計です。関係がなかったメールと読み取れなかったメールは、メールボックスに残ります。
- メールボックスの名前や、サーバーの名前は返しません。`,
  response: z.object({
    state: z.enum(['off', 'reading', 'failing']).meta({
      description: '設定していない（`off`）、読んでいる（`reading`）、読めていない（`failing`）のどれかです。',
      examples: ['reading'],
    }),
    last_read_at: z
      .string()
      .nullable()
      .meta({ description: '最後に読み終えた日時です。まだなら null です。', examples: ['2026/11/20 12:00:03'] }),
    fault: z
      .enum(['connection', 'login', 'mailbox', 'other'])
      .nullable()
      .meta({
        description:
          '最後に読めなかった理由です。サーバーに接続できない（`connection`）、ログインできない（`login`）、' +
          'メールボックスがない（`mailbox`）、その他（`other`）。読めていれば null です。',
        examples: [null],
      }),
    mails: count('これまでに読んだメールの数です。', 120),
    unmatched: count('そのうち、どの送信とも関係がなかったメールの数です。', 12),
    skipped: count('そのうち、読み取れなかったメールの数です。', 0),
  }),
});
