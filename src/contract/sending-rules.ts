import { z } from 'zod';
import { MAX_TARGETS, UNDO_SECONDS } from '#domain/limits.ts';
import { SHARED_DOMAIN_COMPANIES } from '#domain/sending/rules/domain-limit.ts';
import { call } from './call.ts';
import { perDay } from './sending-rules-limits.ts';
import { flag } from './wire.ts';

const rules = {
  undo_seconds: z.literal(UNDO_SECONDS).meta({
    type: 'integer',
    description:
      '会社への送信（テストモードを除く）を、送信の操作のあと何秒間取り消せるかです。そのあいだ、メールは送られません。0なら、すぐに送ります。',
    examples: [30],
  }),
  per_day: perDay.describe(
    'アカウント全体の1日の上限（通）です。日は日本時間です。テスト送信は数えません。null なら上限はありません。',
  ),
  per_domain: z
    .int()
    .min(0)
    .max(MAX_TARGETS)
    .meta({
      description:
        '1回の送信で、同じドメインの会社へ送る通数の上限です。0なら上限はありません。リストの順に数え、超えた会社は `domain_limit` として対象外になります。' +
        `フリーメールとプロバイダーのドメイン、${SHARED_DOMAIN_COMPANIES}社以上が使うドメインには適用しません。`,
      examples: [3],
    }),
  across_groups: flag.meta({
    description:
      '1なら、再送信間隔を、アカウントのほかの送信者グループから送った（送る）会社とメールアドレスにも適用します（`recently_sent_elsewhere`）。',
    examples: [0],
  }),
};

export const getAccountRule = call({
  method: 'GET',
  path: '/account_rule',
  summary: 'アカウントの送信ルール',
  description: 'アカウントのすべての送信に使う設定です。',
  response: z.object(rules),
});

export const updateAccountRule = call({
  method: 'PUT',
  path: '/account_rule',
  needs: 'admin',
  statementSeconds: 300,
  summary: 'アカウントの送信ルールを変更する',
  description:
    '指定した項目だけを変更します。`undo_seconds` は、これから受け付ける送信に適用します。' +
    '`per_domain` は、これから受け付ける送信と、これから始まる予約に適用します。' +
    '`per_day` と `across_groups` は、受け付け済みでまだ送っていないメールにもすぐに適用します。',
  body: z.strictObject({
    update_info: z
      .strictObject(rules)
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください')
      .describe('変更する項目です。'),
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。') }),
});
