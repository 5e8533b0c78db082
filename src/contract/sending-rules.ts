import { z } from 'zod';
import { MAX_TARGETS, UNDO_SECONDS } from '#domain/limits.ts';
import { call } from './call.ts';
import { perDay } from './sending-rules-limits.ts';
import { flag } from './wire.ts';

const rules = {
  undo_seconds: z.literal(UNDO_SECONDS).meta({
    description: '会社への送信（テストモードを除く）を、送信の操作のあと何秒間取り消せるかです。',
    type: 'integer',
  }),
  per_day: perDay.describe('アカウント全体の1日の上限（通）です。'),
  per_domain: z.int().min(0).max(MAX_TARGETS).describe('1回の送信で、同じドメインの会社へ送る通数の上限です。'),
  across_groups: flag.describe('1なら、再送信間隔をほかの送信者グループの送信にも適用します。'),
};

export const getAccountRule = call({
  method: 'GET',
  path: '/account_rule',
  summary: 'アカウントの送信ルール',
  response: z.object(rules),
});

export const updateAccountRule = call({
  method: 'PUT',
  path: '/account_rule',
  needs: 'admin',
  statementSeconds: 300,
  summary: 'アカウントの送信ルールを変更する',
  body: z.strictObject({
    update_info: z
      .strictObject(rules)
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください'),
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。') }),
});
