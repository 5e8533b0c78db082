import { z } from 'zod';
import { RETENTION_MONTHS_MAX, RETENTION_MONTHS_MIN } from '#domain/limits.ts';
import { call } from './call.ts';
import { flag, seenVersion, version } from './wire.ts';

const months = z
  .int()
  .min(RETENTION_MONTHS_MIN)
  .max(RETENTION_MONTHS_MAX)
  .nullable()
  .meta({
    description:
      `終わってから何か月たった送信のメールを保管に移すかです（${RETENTION_MONTHS_MIN}〜${RETENTION_MONTHS_MAX}）。` +
      'null なら移しません。',
    examples: [24],
  });
const blanks = flag.meta({
  description:
    '1なら、保管に移すメールから、会社名、担当者名、メールアドレス、サーバーの応答を消します。元に戻せません。',
  examples: [0],
});

export const viewMailRetention = call({
  method: 'GET',
  path: '/mail_retention',
  summary: 'メールの保存期間の設定',
  description:
    '保存期間を過ぎたメールは、1時間ごとに少しずつ保管に移ります。保管したメールも、送信履歴、会社の履歴、書き出しに出ます。' +
    '再送信とフォローアップはできません。送信済みの判定、配信停止、レポートの数は変わりません。' +
    '結果のわからないメールと、返信、不達、配信停止のあるメールは移しません。',
  response: z.object({
    months,
    blanks,
    archived: z.int().meta({ description: '保管しているメールのおよその件数です。', examples: [12_000] }),
    version,
  }),
});

export const updateMailRetention = call({
  method: 'PUT',
  path: '/mail_retention',
  summary: 'メールの保存期間を変える',
  description: '変えても、すでに保管したメールは元に戻りません。',
  errors: { mail_retention_changed: { status: 409, when: '`version` を読んだあとに、設定が変わっていたとき' } },
  body: z.strictObject({
    update_info: z.strictObject({ months, blanks }).describe('新しい設定です。'),
    version: seenVersion,
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。'), version }),
});
