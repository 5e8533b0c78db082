import { z } from 'zod';
import { MAX_LOGIN_NETWORKS, readNetworks } from '#domain/account/login-networks.ts';
import { MAX_PASSWORD_LENGTH, MAX_TARGETS, UNDO_SECONDS } from '#domain/limits.ts';
import { PER_DAY_MAX, RAMP_PERCENT_MAX, RAMP_START_MAX } from '#domain/sending/rules/daily-limit.ts';
import { call } from '../call.ts';
import { flag, id, idInPath, text } from '../wire.ts';
import { day } from './sending-rules-closing-days.ts';

/** The limits of a sender, and the rules of the whole account. */

const perDay = z
  .int()
  .min(1)
  .max(PER_DAY_MAX)
  .nullable()
  .describe('1日の上限（通）です。日は日本時間です。null なら上限はありません。');
const rampFrom = day
  .nullable()
  .describe('この日から、少ない通数で始めて増やします。null なら初めから上限まで送ります。');
const rampStart = z.int().min(1).max(RAMP_START_MAX).describe('最初の日の通数です。');
const rampPercent = z
  .int()
  .min(1)
  .max(RAMP_PERCENT_MAX)
  .describe('送信した日ごとに増やす割合（%）です。前の送信日に半分以上を使わなければ増えません。');

const today = z
  .object({
    limit: z.int().describe('今日の上限（通）です。'),
    used: z.int().describe('今日送った通数です。送信中のものを含みます。'),
    step: z.int().describe('何日目かです。最初の送信日が1です。'),
    full_on: z.int().describe('何日目の送信日に、上限の通数になるかです。'),
  })
  .nullable()
  .describe('今日の状態です。上限がなければ null です。');

const ofProfile = z.object({ profile_id: idInPath.describe('差出人のidです。') });

export const getSenderLimit = call({
  method: 'GET',
  path: '/sender_limit/:profile_id',
  summary: '差出人の1日の上限',
  params: ofProfile,
  response: z.object({
    profile_id: id.describe('差出人のidです。'),
    per_day: perDay,
    ramp_from: z.string().nullable().describe('増やし始める日です。'),
    ramp_start: rampStart,
    ramp_percent: rampPercent,
    today,
  }),
});

export const updateSenderLimit = call({
  method: 'PUT',
  path: '/sender_limit/:profile_id',
  needs: 'admin',
  statementSeconds: 300,
  summary: '差出人の1日の上限を変更する',
  errors: ['above_limit', 'limit_missing'],
  params: ofProfile,
  body: z.strictObject({
    update_info: z
      .strictObject({ per_day: perDay, ramp_from: rampFrom, ramp_start: rampStart, ramp_percent: rampPercent })
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください'),
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。'), today }),
});

const rules = {
  undo_seconds: z.literal(UNDO_SECONDS).meta({
    description: '会社への送信（テストモードを除く）を、送信の操作のあと何秒間取り消せるかです。',
    type: 'integer',
  }),
  per_day: perDay.describe('アカウント全体の1日の上限（通）です。'),
  per_domain: z.int().min(0).max(MAX_TARGETS).describe('1回の送信で、同じドメインの会社へ送る通数の上限です。'),
  across_groups: flag.describe('1なら、再送信間隔をほかの送信者グループの送信にも適用します。'),
  export_needs_admin: flag.describe('1なら、書き出しと、書き出したファイルの取得は、管理者だけができます。'),
  two_factor_required: flag.describe('1なら、全員に二段階認証を求めます。設定するまで、ほかの操作はできません。'),
  password_off: flag.describe('1なら、二段階認証のある管理者を除いて、会社のIDだけでログインします。'),
};

const LONGEST_NETWORK = 100;

const loginNetworks = z
  .array(text(LONGEST_NETWORK))
  .max(MAX_LOGIN_NETWORKS, `${MAX_LOGIN_NETWORKS}件以内で入力してください`)
  .check(({ value, issues }) => {
    for (const { at, message } of readNetworks(value).faults)
      issues.push({ code: 'custom', path: [at], message, input: value[at] });
  })
  .describe('ログインと操作を許可するネットワークです。空なら、どこからでも使えます。');

export const getAccountRule = call({
  method: 'GET',
  path: '/account_rule',
  summary: 'アカウントの送信ルール',
  response: z.object({
    ...rules,
    login_networks: z
      .array(z.string())
      .optional()
      .describe('ログインと操作を許可するネットワークです。管理者にだけ返します。'),
    current_address: z
      .string()
      .nullable()
      .optional()
      .describe('このサーバーから見た、呼び出しの接続元です。分からなければ null です。管理者にだけ返します。'),
  }),
});

export const updateAccountRule = call({
  method: 'PUT',
  path: '/account_rule',
  needs: 'admin',
  statementSeconds: 300,
  summary: 'アカウントの送信ルールを変更する',
  errors: [
    'own_two_factor_missing',
    'own_network_missing',
    'proxy_not_trusted',
    'company_log_in_off',
    'two_factor_missing',
    'password_needed',
    'wrong_password',
    'too_many_guesses',
  ],
  body: z.strictObject({
    current_password: text(MAX_PASSWORD_LENGTH)
      .optional()
      .describe(
        '現在のパスワードです。`login_networks` か `password_off` の変更と、`two_factor_required` を0にするときだけ確かめます。' +
          'ログインから15分以内なら要りません。',
      ),
    update_info: z
      .strictObject({ ...rules, login_networks: loginNetworks })
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください'),
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。') }),
});
