import { z } from 'zod';
import { MAX_COMPANY_TAGS, MAX_REMARKS_LENGTH } from '#domain/limits.ts';
import { call } from '../call.ts';
import { flag, id, idInQuery, text } from '../wire.ts';
import { addressee, MAX_WRITTEN, suppressed } from './companies.ts';
import { labelChange } from './own-values.ts';
import { VIEW_STATUSES } from './prospects.ts';
import { filtersFit, PROSPECT_FILTER_RULES, prospectFilter } from './prospects-filter.ts';

const otherCompany = z
  .object({
    id: id.describe('見込み客のidです。'),
    company_name: z.string().meta({ description: '会社名です。', examples: ['株式会社みどり製作所'] }),
    address: z
      .string()
      .nullable()
      .meta({ description: '住所です。', examples: ['東京都大田区蒲田1-2-3'] }),
    archived: flag.meta({ description: 'アーカイブ済みなら1です。', examples: [0] }),
  })
  .meta({ schemaName: 'OtherCompany' });

const asked = (max: number, description: string) => text(max).optional().describe(description);

/** Checks a company while a person types, without changing anything. */
export const checkProspect = call({
  method: 'GET',
  path: '/prospect/check',
  audience: 'integrator',
  summary: '保存する前に、似た会社・同じアドレス・宛名・変更の及ぶメールを調べる',
  description: `会社の追加・編集の画面で、入力した値について知らせることを返します。保存はしません。

- \`similar\`: 会社名が同じ会社（\`(株)\` と \`株式会社\`、全角・半角、空白は区別しません）。\`is_same\` が1なら住所も同じで、追加できません。
- \`sharing\`: 同じ代表メールの、ほかの会社（アーカイブ済みを除く）。同じ送信では、そのうち1社にだけ送ります。
- \`affected\`: 編集で代表メールを変えると、予約（\`reserved\`）は送信が始まるときの、送信待ち（\`queued\`）は送るときの新しいアドレスに送ります。\
送信中（\`sending\`）は元のアドレスのままです。失敗したメール（\`failed\`）は、再送信すると新しいアドレスに送ります。テスト送信は入りません。`,
  errors: [['not_found', '`id` の見込み客がないか、ほかのアカウントのものであるとき']],
  query: z.strictObject({
    id: idInQuery.optional().describe('編集する見込み客のidです。追加なら省略します。'),
    company_name: asked(MAX_WRITTEN, '会社名です。'),
    address: asked(MAX_WRITTEN, '住所です。'),
    company_email: asked(MAX_WRITTEN, '代表メールです。'),
    ceo: asked(MAX_WRITTEN, '代表者です。'),
  }),
  response: z.object({
    addressee,
    similar: z
      .array(otherCompany.extend({ is_same: flag.describe('会社名と住所が同じなら1です。') }))
      .describe('似た会社です（5社まで）。'),
    sharing: z.array(otherCompany).describe('同じ代表メールの会社です（5社まで）。'),
    sharing_total: z.int().meta({ description: '同じ代表メールの会社の数です。', examples: [0] }),
    suppressed,
    affected: z
      .object({
        reserved: z.int().meta({ description: '送信前の予約の数です。', examples: [1] }),
        queued: z.int().meta({ description: '送信待ちのメールの数です。', examples: [0] }),
        sending: z.int().meta({ description: '送信中のメールの数です。', examples: [0] }),
        failed: z.int().meta({ description: '失敗したメールの数です。', examples: [0] }),
      })
      .describe('この会社への、これからのメールの数です。追加なら、すべて0です。'),
  }),
});

/** The changes of many companies at once. */
export const BULK_ACTS = [
  'activate',
  'deactivate',
  'append_remarks',
  'suppress',
  'archive',
  'restore',
  'label',
] as const;
export type BulkAct = (typeof BULK_ACTS)[number];

const MAX_IDS = 1000;

const condition = z
  .strictObject({
    status: z.enum(VIEW_STATUSES).optional().describe('送信状況です。'),
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
  audience: 'integrator',
  statementSeconds: 120,
  summary: '選んだ見込み客か、条件に合うすべての見込み客を、まとめて変更する',
  description: `\`ids\`（${MAX_IDS.toLocaleString('ja-JP')}件まで）か \`condition\` のどちらかを指定します。

- \`activate\`・\`deactivate\`・\`append_remarks\` は、\`sender_group_id\` のグループでの有効・無効と備考を変えます。備考は、いまの備考の次の行に書き足します。
- \`suppress\` は、代表メールと主担当のメールを \`自社で禁止\` として配信停止に登録します。\`archive\`・\`restore\` は、アーカイブとその取り消しです。
- \`label\` は、タグと、選択の項目の選択肢を、付けたり外したりします。1社のタグは${MAX_COMPANY_TAGS}個までです。
- \`dry_run\` が1なら何も変えず、変わる件数を返します。
- 多いときは5,000件ずつ変更します。途中で止まったら、もう一度呼び出すと、残りを変更します。

${PROSPECT_FILTER_RULES}`,
  errors: [
    'not_in_group',
    ['not_found', '送信者グループかタグか選択肢がないか、ほかのアカウントのものであるとき'],
    'too_many_companies',
  ],
  largeBody: true,
  body: z
    .strictObject({
      act: z.enum(BULK_ACTS).describe('操作です。'),
      sender_group_id: id.describe('送信者グループのidです。条件の送信状況も、このグループのものです。'),
      ids: z.array(id).min(1).max(MAX_IDS).optional().describe('見込み客のidです。'),
      condition: condition.optional(),
      remarks: text(MAX_REMARKS_LENGTH).optional().describe('書き足す備考です（`append_remarks` のとき）。'),
      label: labelChange.optional(),
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
    .refine(({ act, label }) => (act === 'label') === (label !== undefined), {
      path: ['label'],
      message: '付けるタグか外すタグを指定してください',
    })
    .meta({ examples: [{ act: 'archive', sender_group_id: 1, ids: [1, 2], dry_run: 1 }] }),
  response: z.object({
    matched: number('選ばれた見込み客の件数です。', 2),
    changed: number('変更した（`dry_run` なら、変更する）件数です。', 2),
    unchanged: z
      .object({
        already: number('すでにその状態の件数です。'),
        not_found: number('見つからなかった件数です。'),
        no_email: number('代表メールも主担当のメールもない件数です（`suppress`）。'),
        too_long: number(`備考が${MAX_REMARKS_LENGTH}文字を超える件数です（\`append_remarks\`）。`),
        too_many: number(`タグが${MAX_COMPANY_TAGS}個を超える件数です（\`label\`）。`),
      })
      .describe('変更しなかった件数です。'),
    reserved: number('選ばれた見込み客のうち、送信前の予約に入っている件数です。'),
    queued: number('選ばれた見込み客への、送信待ちのメールの件数です。'),
  }),
});

const companies = z.int().describe('会社の数です。');

export const addSampleCompanies = call({
  method: 'POST',
  path: '/prospect/samples',
  summary: '見本の会社を入れる',
  errors: ['too_many_companies'],
  response: z.object({ status: z.literal('added').describe('入れました。'), companies }),
});

export const removeSampleCompanies = call({
  method: 'POST',
  path: '/prospect/samples/remove',
  summary: '見本の会社をすべて消す',
  response: z.object({ status: z.literal('removed').describe('消しました。'), companies }),
});
