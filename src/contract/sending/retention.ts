import { z } from 'zod';
import { RETENTION_MONTHS_MAX, RETENTION_MONTHS_MIN } from '#domain/limits.ts';
import { call } from '../call.ts';
import { seenVersion, version } from '../wire.ts';

const months = z
  .int()
  .min(RETENTION_MONTHS_MIN)
  .max(RETENTION_MONTHS_MAX)
  .nullable()
  .describe('宛先を消すまでの月数です。');

export const viewMailRetention = call({
  method: 'GET',
  path: '/mail_retention',
  summary: 'メールの保存期間の設定',
  response: z.object({
    months,
    archived: z.int().describe('宛先を消したメールのおよその件数です。'),
    version,
  }),
});

export const updateMailRetention = call({
  method: 'PUT',
  path: '/mail_retention',
  needs: 'admin',
  summary: 'メールの保存期間を変える',
  errors: ['mail_retention_changed'],
  body: z.strictObject({
    update_info: z.strictObject({ months }).describe('新しい設定です。'),
    version: seenVersion,
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。'), version }),
});
