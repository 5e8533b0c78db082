import { z } from 'zod';
import { call } from './call.ts';
import { ownCompany } from './prospect-list.ts';
import { suppressionNotice } from './suppression-notice.ts';
import { flag, id, idempotencyHeaders, idInPath, intInQuery, text } from './wire.ts';

/** The calls for one company: read, add, edit and archive. */

/** The longest value that a field is written with. Each field has a shorter limit of its own. */
const MAX_WRITTEN = 2100;

/** A value as a person writes it; the server reads it as an import reads a cell. */
const written = (description: string, example: string) =>
  z
    .union([text(MAX_WRITTEN), z.number()])
    .nullable()
    .optional()
    .meta({ description, examples: [example], documentedAs: z.union([text(MAX_WRITTEN), z.number(), z.null()]) });

const companyInfo = {
  corporate_number: written('法人番号（13桁の数字）です。', '7000012050002'),
  company_name: written('会社名です（200文字まで）。', '株式会社みどり製作所'),
  company_email: written('代表メールです。', 'info@midori.example.jp'),
  ceo: written('代表者です（100文字まで）。', '代表取締役 緑川 花子'),
  major_industry_type: written('業種です。', '製造業'),
  included_industry_type: written('内部業種です。`、` で区切ります。', '金属加工、板金'),
  address: written('住所です（300文字まで）。', '東京都大田区蒲田1-2-3'),
  number_of_employees: written('従業員数です。', '48名'),
  amount_of_sales: written('売上高です。`1.2億` のようにも書けます。', '9.2億'),
  ordinary_profit: written('経常利益です。', '3,100万'),
  capital: written('資本金です。', '1000万円'),
  year_of_establishment: written('設立年です。', '1987'),
  company_url: written('会社URLです。', 'https://midori.example.jp/'),
  contact_url: written('問い合わせURLです。', 'https://midori.example.jp/contact'),
  published_at_url: written('公開元URL（代表メールが公開されているページ）です。', 'https://midori.example.jp/company'),
  published_seen_on: written('公開元を確認した日です。', '2026/11/20'),
  publication_notice: written(
    '公開元に営業メールをお断りする表示があれば `○`（`refused`）、なければ `×`（`none`）です。',
    '○',
  ),
};
export const COMPANY_FIELDS = Object.keys(companyInfo) as (keyof typeof companyInfo)[];
export type CompanyField = (typeof COMPANY_FIELDS)[number];

const READ_RULES = `値は、CSVの取り込みと同じ規則で読みます。数は \`1.2億\`、\`1,200万円\`、\`△500\` のようにも書けます。空、\`-\`、null は「値なし」です。`;
export const ofCompany = z.object({ id: idInPath.describe('見込み客のidです。') });
const version = z.string().meta({
  description: '内容を見分ける印です。内容が変わると、印も変わります。',
  examples: ['q3vXbQ0mS1uJ5a2dYpWc7g'],
});
export const memberName = z
  .string()
  .nullable()
  .meta({ description: '操作した人の氏名です。人の操作でなければ null です。', examples: ['田中 直樹'] });
const suppressed = suppressionNotice.nullable().describe('代表メールの配信停止です。配信停止でなければ null です。');
const addressee = z.string().meta({ description: 'メールに入る宛名です。', examples: ['代表取締役 緑川 花子 様'] });

const companyDetail = ownCompany
  .extend({
    version,
    archived: flag.meta({ description: 'アーカイブ済みなら1です。', examples: [0] }),
    created_at: z.string().meta({ description: '登録した日時です。', examples: ['2026/11/20 10:02:00'] }),
    updated_at: z.string().meta({ description: '最後に変更した日時です。', examples: ['2026/11/20 10:02:00'] }),
    changed_by: memberName,
    addressee,
    suppressed,
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

export const getProspect = call({
  method: 'GET',
  path: '/prospect/:id',
  summary: '1社の詳細',
  description: 'アーカイブした会社も返します。',
  params: ofCompany,
  response: companyDetail,
});

const asked = (max: number, description: string) => text(max).optional().describe(description);

/** Answers what a form shows while a person types. It changes nothing. */
export const checkProspect = call({
  method: 'GET',
  path: '/prospect/check',
  summary: '保存する前に、似た会社・同じアドレス・宛名・変更の及ぶメールを調べる',
  description: `会社の追加・編集の画面で、入力した値について知らせることを返します。保存はしません。

- \`similar\`: 会社名が同じ会社（\`(株)\` と \`株式会社\`、全角・半角、空白は区別しません）。\`is_same\` が1なら住所も同じで、追加できません。
- \`sharing\`: 同じ代表メールの、ほかの会社（アーカイブ済みを除く）。同じ送信では、そのうち1社にだけ送ります。
- \`affected\`: 編集で代表メールを変えると、予約（\`reserved\`）は送信が始まるときの、送信待ち（\`queued\`）は送るときの新しいアドレスに送ります。\
送信中（\`sending\`）は元のアドレスのままです。失敗したメール（\`failed\`）は、再送信すると新しいアドレスに送ります。テスト送信は入りません。`,
  errors: { not_found: { status: 404, when: '`id` の見込み客がないか、ほかのアカウントのものであるとき' } },
  query: z.strictObject({
    id: intInQuery(1, Number.MAX_SAFE_INTEGER).optional().describe('編集する見込み客のidです。追加なら省略します。'),
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
