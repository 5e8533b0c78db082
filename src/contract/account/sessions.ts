import { z } from 'zod';
import { call } from '../call.ts';
import { flag } from '../wire.ts';

export const listSessions = call({
  method: 'GET',
  path: '/session/list',
  summary: '自分のログインの一覧（新しく使った順に、100件まで）',
  response: z.array(
    z.object({
      id: z.uuid().describe('ログインのidです。'),
      created_at: z.string().describe('ログインした日時です。'),
      last_used_at: z.string().describe('最後に使った日時です。'),
      address: z.string().nullable().describe('ログインした接続元のIPアドレスです。わからなければ null です。'),
      agent: z.string().nullable().describe('ブラウザーが名のった名前（User-Agent）です。わからなければ null です。'),
      is_current: flag.describe('この呼び出しのログインなら1です。'),
    }),
  ),
});

export const endSession = call({
  method: 'PUT',
  path: '/session/:id',
  needs: 'viewer',
  summary: '自分のログインを1つ終える',
  params: z.object({ id: z.uuid().describe('ログインのidです。') }),
  body: z.strictObject({ update_info: z.strictObject({ active: z.literal(0).describe('0にすると終わります。') }) }),
  response: z.object({ status: z.literal('ended').describe('終わりました。') }),
});

export const endOtherSessions = call({
  method: 'POST',
  path: '/session/end_others',
  needs: 'viewer',
  summary: 'この呼び出しのほかの、自分のログインをすべて終える',
  response: z.object({
    status: z.literal('ended').describe('終わりました。'),
    sessions_ended: z.int().describe('終わったログインの数です。'),
  }),
});
