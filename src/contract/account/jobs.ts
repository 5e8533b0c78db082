import { z } from 'zod';
import { call } from '../call.ts';
import { id, idInPath } from '../wire.ts';

/** Work that a worker does after the request, so that closing the browser does not stop it. */
const job = z
  .object({
    id: id.describe('処理のidです。'),
    kind: z
      .enum(['export', 'import_check', 'import_run', 'import_undo'])
      .describe(
        '処理の種類です。`export` は書き出し、`import_check`・`import_run`・`import_undo` は取り込みの確認・実行・取り消しです。',
      ),
    state: z
      .enum(['queued', 'running', 'done', 'failed', 'cancelled'])
      .describe('`queued` 待機中、`running` 処理中、`done` 終了、`failed` 失敗、`cancelled` 中止です。'),
    done: z
      .int()
      .min(0)
      .meta({ description: '終わった量です。', examples: [6200] }),
    total: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: '全体の量です。まだわからなければ null です。', examples: [10000] }),
    message: z
      .string()
      .nullable()
      .meta({ description: '失敗したときの、理由と直し方です。', examples: [null] }),
    created_at: z.string().meta({ description: '受け付けた日時です。', examples: ['2026/11/20 12:00:00'] }),
    finished_at: z
      .string()
      .nullable()
      .meta({ description: '終わった日時です。', examples: [null] }),
  })
  .meta({ schemaName: 'Job' });
export type Job = z.infer<typeof job>;

const ofJob = z.object({ id: idInPath.describe('処理のidです。') });

export const getJob = call({
  method: 'GET',
  path: '/job/:id',
  audience: 'integrator',
  summary: '時間のかかる処理の進み具合',
  description: '処理の記録は、終わってから30日で消えます。',
  params: ofJob,
  response: job,
});

export const followJob = call({
  method: 'GET',
  path: '/job/:id/events',
  audience: 'integrator',
  summary: '時間のかかる処理の進み具合を受け取り続ける（Server-Sent Events）',
  description: 'いまの状態と、変わるたびの状態を `job` イベントで送ります。処理が終わると、接続も終わります。',
  errors: [['too_many_streams', '開いている画面が多すぎるとき']],
  params: ofJob,
  response: job,
  isStream: true,
});

export const cancelJob = call({
  method: 'POST',
  path: '/job/:id/cancel',
  audience: 'integrator',
  summary: '時間のかかる処理を中止する',
  description: '途中までの結果は残りません。書き出しを中止できるのは、その内容を書き出せるメンバーだけです。',
  errors: ['job_ended'],
  params: ofJob,
  response: z.object({ status: z.literal('cancelled').describe('中止しました。') }),
});
