import { z } from 'zod';
import { RETENTION_MONTHS_MAX, RETENTION_MONTHS_MIN } from '#domain/limits.ts';
import { call } from './call.ts';
import { seenVersion, version } from './wire.ts';

const months = z
  .int()
  .min(RETENTION_MONTHS_MIN)
  .max(RETENTION_MONTHS_MAX)
  .nullable()
  .meta({
    description:
      '終わってから何か月たった送信のメールから、会社名、担当者名、メールアドレス、サーバーの応答を消すかです' +
      `（${RETENTION_MONTHS_MIN}〜${RETENTION_MONTHS_MAX}）。null なら消しません。`,
    examples: [24],
  });

export const viewMailRetention = call({
  method: 'GET',
  path: '/mail_retention',
  summary: 'メールの保存期間の設定',
  description:
    '保存期間を過ぎたメールの宛先は、1時間ごとに少しずつ消えます。宛先を消したメールも、送信履歴、会社の履歴、書き出しに出ます。' +
    '再送信とフォローアップはできません。送信済みの判定、配信停止、レポートの数は変わりません。' +
    '結果のわからないメールと、返信、不達、配信停止のあるメールの宛先は消しません。' +
    '宛先を消したメールに返信などがあり、会社のメールアドレスが同じままなら、宛先は元に戻ります。',
  response: z.object({
    months,
    archived: z.int().meta({ description: '宛先を消したメールのおよその件数です。', examples: [12_000] }),
    version,
  }),
});

export const updateMailRetention = call({
  method: 'PUT',
  path: '/mail_retention',
  needs: 'admin',
  summary: 'メールの保存期間を変える',
  description: '変えても、すでに消した宛先は元に戻りません。',
  errors: ['mail_retention_changed'],
  body: z.strictObject({
    update_info: z.strictObject({ months }).describe('新しい設定です。'),
    version: seenVersion,
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。'), version }),
});
