import { z } from 'zod';
import { MAX_REMARKS_LENGTH } from '#domain/limits.ts';
import { call } from './call.ts';
import { VIEW_STATUSES } from './prospect.ts';
import { filtersFit, PROSPECT_FILTER_RULES, prospectFilter } from './prospect-filter.ts';
import { flag, id, text } from './wire.ts';

/** The acts on many companies at once. */
export const BULK_ACTS = ['activate', 'deactivate', 'append_remarks', 'suppress', 'archive', 'restore'] as const;
export type BulkAct = (typeof BULK_ACTS)[number];

const MAX_IDS = 1000;

const condition = z
  .strictObject({
    status: z.enum(VIEW_STATUSES).optional().describe('送信状況です。`GET /prospect/view` と同じです。'),
    sender_id: id.optional().describe('この送信者の予約に入っている見込み客に絞り込みます。'),
    reservation_id: id.optional().describe('この予約に入っている見込み客に絞り込みます。'),
    ...prospectFilter,
  })
  .superRefine(filtersFit)
  .describe('この条件に合うすべての見込み客です。`{}` なら、リストのすべてです。');

const number = (description: string, example = 0) => z.int().meta({ description, examples: [example] });

export const changeProspects = call({
  method: 'POST',
  path: '/prospect/bulk',
  summary: '選んだ見込み客か、条件に合うすべての見込み客を、まとめて変更する',
  description: `\`ids\`（${MAX_IDS.toLocaleString('ja-JP')}件まで）か \`condition\` のどちらかを指定します。

- \`activate\`・\`deactivate\`・\`append_remarks\` は、\`sender_group_id\` のグループでの有効・無効と備考を変えます。備考は、いまの備考の次の行に書き足します。
- \`suppress\` は、代表メールを \`自社で禁止\` として配信停止に登録します。\`archive\`・\`restore\` は、アーカイブとその取り消しです。
- \`dry_run\` が1なら何も変えず、変わる件数を返します。
- 多いときは5,000件ずつ変更します。途中で止まったら、もう一度呼び出すと、残りを変更します。

${PROSPECT_FILTER_RULES}`,
  errors: {
    not_found: { status: 404, when: '送信者グループがないか、ほかのアカウントのものであるとき' },
  },
  largeBody: true,
  body: z
    .strictObject({
      act: z.enum(BULK_ACTS).describe('操作です。'),
      sender_group_id: id.describe('送信者グループのidです。条件の送信状況も、このグループのものです。'),
      ids: z.array(id).min(1).max(MAX_IDS).optional().describe('見込み客のidです。'),
      condition: condition.optional(),
      remarks: text(MAX_REMARKS_LENGTH).optional().describe('書き足す備考です（`append_remarks` のとき）。'),
      dry_run: flag.optional().meta({ description: '1なら、何も変えません。', examples: [1] }),
    })
    .refine(({ ids, condition: all }) => (ids === undefined) !== (all === undefined), {
      path: ['ids'],
      message: '会社を選ぶか、条件を指定してください',
    })
    .refine(({ act, remarks = '' }) => act !== 'append_remarks' || remarks.trim() !== '', {
      path: ['remarks'],
      message: '備考を入力してください',
    })
    .meta({ examples: [{ act: 'archive', sender_group_id: 1, ids: [1, 2], dry_run: 1 }] }),
  response: z.object({
    matched: number('選ばれた見込み客の件数です。', 2),
    changed: number('変更した（`dry_run` なら、変更する）件数です。', 2),
    unchanged: z
      .object({
        already: number('すでにその状態の件数です。'),
        not_found: number('見つからなかった件数です。'),
        no_email: number('代表メールがない件数です（`suppress`）。'),
        too_long: number(`備考が${MAX_REMARKS_LENGTH}文字を超える件数です（\`append_remarks\`）。`),
      })
      .describe('変更しなかった件数です。'),
    reserved: number('選ばれた見込み客のうち、送信前の予約に入っている件数です。'),
    queued: number('選ばれた見込み客への、送信待ちのメールの件数です。'),
  }),
});
