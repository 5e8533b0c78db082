import { z } from 'zod';
import { call } from '../call.ts';

/** Open work of a restored backup, which waits for a member's decision. */

const over = z.int().describe('日時を過ぎたため、止まったままの予約の数です。');

export const getRestored = call({
  method: 'GET',
  path: '/restored',
  summary: '復元した時点の送信と予約の数',
  response: z.object({
    runs: z.int().describe('止まっている送信（`paused_by` が `restored`）の数です。'),
    mails: z.int().describe('その送信の、まだ送っていないメールの数です。'),
    reservations: z.int().describe('止まっている予約（`state` が `held`）の数です。'),
    over,
  }),
});

export const decideRestored = call({
  method: 'POST',
  path: '/restored',
  needs: 'admin',
  statementSeconds: 120,
  summary: '復元した時点の送信と予約を、すべて送信するか、すべて送信しない',
  body: z.strictObject({
    act: z.enum(['send', 'drop']).describe('予定どおり送信するか、送信しないかです。'),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    runs: z.int().describe('再開、または中止した送信の数です。'),
    reservations: z.int().describe('予約日時に送信する、または削除した予約の数です。'),
    over,
  }),
});
