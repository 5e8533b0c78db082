import { z } from 'zod';
import { call } from './call.ts';
import { companyInfo } from './company-fields.ts';
import { memberName } from './member-name.ts';
import { ownCompany } from './prospect-list.ts';
import { suppressionNotice } from './suppression-notice.ts';
import { flag, id, idempotencyHeaders, idInPath, version } from './wire.ts';

/** The calls for one company: read, add, edit and archive. */

const READ_RULES = `値は、CSVの取り込みと同じ規則で読みます。数は \`1.2億\`、\`1,200万円\`、\`△500\` のようにも書けます。空、\`-\`、null は「値なし」です。`;
export const ofCompany = z.object({ id: idInPath.describe('見込み客のidです。') });
export const suppressed = suppressionNotice
  .nullable()
  .describe('代表メールの配信停止です。配信停止でなければ null です。');
export const addressee = z
  .string()
  .meta({ description: 'メールに入る宛名です。', examples: ['代表取締役 緑川 花子 様'] });

const companyDetail = ownCompany
  .extend({
    version,
    archived: flag.meta({ description: 'アーカイブ済みなら1です。', examples: [0] }),
    created_at: z.string().meta({ description: '登録した日時です。', examples: ['2026/11/20 10:02:00'] }),
    updated_at: z.string().meta({ description: '最後に変更した日時です。', examples: ['2026/11/20 10:02:00'] }),
    changed_by: memberName,
    addressee,
    suppressed,
    maybe_refused: z
      .object({
        id: id.describe('見込み客のidです。'),
        company_name: z.string().meta({ description: '会社名です。', examples: ['株式会社あおぞら商会'] }),
      })
      .nullable()
      .meta({
        description:
          '配信停止の希望かもしれない返信があり、対応を選ぶまで送らないなら、その返信の会社です（この会社か、同じメールアドレスに送ったほかの会社）。なければ null です。',
        examples: [null],
      }),
    replied: flag.meta({
      description: '対応済みにしていない返信（自動返信を除く）があるなら1です。どの送信者グループからも送りません。',
      examples: [0],
    }),
    replies: z.int().meta({ description: '返信の数です（`GET /reply/view`）。', examples: [0] }),
    groups: z
      .array(
        z.object({
          sender_group_id: id.describe('送信者グループのidです。'),
          group_name: z.string().meta({ description: '送信者グループの名前です。', examples: ['首都圏営業部'] }),
          active: flag.meta({ description: '有効なら1です。', examples: [1] }),
          remarks: z.string().meta({ description: '備考です。', examples: ['展示会で名刺交換'] }),
          remarks_version: version.describe('備考を見分ける印です。`POST /active_prospect/` の `version` に使います。'),
          sent_at: z
            .string()
            .nullable()
            .meta({ description: '最終送信日時です。', examples: ['2026/11/02 10:15'] }),
        }),
      )
      .describe('送信者グループごとの、有効・無効、備考、最終送信日時です。'),
  })
  .meta({ schemaName: 'CompanyDetail' });
export type CompanyDetail = z.infer<typeof companyDetail>;

export const getProspect = call({
  method: 'GET',
  path: '/prospect/:id',
  summary: '1社の詳細',
  description: 'アーカイブした会社も返します。',
  params: ofCompany,
  response: companyDetail,
});

const acknowledged = flag
  .optional()
  .meta({ description: '会社名の同じ会社があっても保存するなら1です。', examples: [0] });
const COMPANY_ERRORS = {
  invalid_company: { status: 400, when: '読めない値があるとき（`details` に項目と理由）' },
  same_company: { status: 409, when: '同じ会社名と住所の会社か、同じ法人番号の会社があるとき' },
  similar_company: { status: 409, when: '会社名の同じ会社があり、`acknowledged` が1でないとき' },
} as const;

export const createProspect = call({
  method: 'POST',
  path: '/prospect',
  summary: '会社を1社追加する',
  description: READ_RULES,
  errors: {
    ...COMPANY_ERRORS,
    idempotency_key_reused: { status: 409, when: '同じ `Idempotency-Key` が、別の内容で使われていたとき' },
  },
  headers: idempotencyHeaders,
  body: z.strictObject({ add_info: z.strictObject(companyInfo).describe('追加する会社です。'), acknowledged }),
  response: z.object({
    status: z.literal('added').describe('追加しました。'),
    id: id.describe('見込み客のidです。'),
    version,
  }),
});

export const updateProspect = call({
  method: 'PUT',
  path: '/prospect/:id',
  summary: '会社を1社変更する',
  description: `${READ_RULES}

- \`update_info\` に書いた項目だけを変えます。
- \`version\` には、読んだときの値を指定します。そのあとに内容が変わっていれば、何もせずに 409 を返します。\`message\` に、だれがいつ変えたかが入ります。\
いまの値は \`GET /prospect/{id}\` で読めます。
- 元に戻すには、元の値と、答えの \`version\` で、もう一度呼び出します。
- 代表メールを変えたときに、これからのメールがどのアドレスに届くかは、\`GET /prospect/check\` のとおりです。`,
  errors: { ...COMPANY_ERRORS, company_changed: { status: 409, when: '読んだあとに、内容が変わっていたとき' } },
  params: ofCompany,
  body: z.strictObject({
    version: version.max(100),
    update_info: z.strictObject(companyInfo).describe('変更する項目です。'),
    acknowledged,
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    id: id.describe('見込み客のidです。'),
    version,
  }),
});

const archivedAnswer = z.object({
  status: z.literal('updated').describe('変更しました。すでにその状態のときも同じです。'),
  id: id.describe('見込み客のidです。'),
});

export const archiveProspect = call({
  method: 'POST',
  path: '/prospect/:id/archive',
  summary: '会社をアーカイブする',
  description:
    'リスト、件数、絞り込み、アタックリストのどれにも出なくなります。送信の記録は残り、いつでも戻せます。' +
    '送信待ちのメールは送らず、予約に入っていれば送信のときに対象外になります（どちらも理由は `archived`）。送信中のメールは送ります。',
  params: ofCompany,
  response: archivedAnswer,
});

export const restoreProspect = call({
  method: 'POST',
  path: '/prospect/:id/restore',
  summary: 'アーカイブした会社をリストに戻す',
  params: ofCompany,
  response: archivedAnswer,
});
