import { z } from 'zod';
import { PUBLICATION_NOTICES } from '#domain/law/publication.ts';
import {
  DEFAULT_PAGE_SIZE,
  MAX_EXTERNAL_ID_LENGTH,
  MAX_OFFERED_INDUSTRIES,
  MAX_REMARKS_LENGTH,
  PAGE_SIZES,
} from '#domain/limits.ts';
import { call } from '../call.ts';
import { flagFilter, idFilter, idOrBounds, wholeListCall } from '../list.ts';
import { choiceInQuery, emailText, flag, id, idInQuery, intInQuery, seenVersion, text, version } from '../wire.ts';
import { filtersFit, ownCells, prospectFilter, prospectSort, shownColumns } from './prospects-filter.ts';

/** Where a company publishes its address, and whether it declines sales mails there. */
export const publication = {
  published_at_url: z
    .string()
    .nullable()
    .meta({
      description: '公開元URL（代表メールが公開されているページ）です。',
      examples: ['https://midori.example.jp/company'],
    }),
  published_seen_on: z
    .string()
    .nullable()
    .meta({ description: '公開元を確認した日（`YYYY-MM-DD`）です。', examples: ['2026-11-20'] }),
  publication_notice: z
    .enum(PUBLICATION_NOTICES)
    .nullable()
    .meta({
      description:
        '公開元に営業メールをお断りする表示があれば `refused`、ないことを確かめたなら `none`、確かめていなければ null です。' +
        '`refused` の会社には送信しません。',
      examples: ['none'],
    }),
};

/** The values of the status filter: 未送信, 送信済み, 予約中, 返信あり. Without one, all (すべて). */
export const SENDING_STATUSES = ['unsent', 'sent', 'reserved', 'replied'] as const;

/** The status of the listed companies, in lists without archived ones. */
export const sendingStatus = z
  .enum(SENDING_STATUSES)
  .optional()
  .describe(
    '送信状況です。`unsent` は未送信、`sent` は送信済み、`reserved` は予約中、`replied` は返信ありです。省略するとすべてです。',
  );

/** The values of the view's status filter, with the archived companies, which no other list has. */
export const VIEW_STATUSES = [...SENDING_STATUSES, 'archived'] as const;

/** The status of a company in a list, as one word. The first applicable one is shown. */
export const PROSPECT_STATUSES = [
  'archived',
  'undeliverable',
  'suppressed',
  'replied',
  'in_progress',
  'reserved',
  'sent',
  'unsent',
] as const;

/** The status of a company for one sender group. sent_at, send_at: YYYY/MM/DD HH:mm in Asia/Tokyo, or null. */
export const prospectState = {
  status: z.enum(PROSPECT_STATUSES).meta({
    description:
      'ステータスです。上から見て最初に当てはまるものです。`archived` はアーカイブ済み、`undeliverable` は届かなかった（最後のメールが送れず、本人が配信停止していない）、' +
      '`suppressed` は配信停止、`replied` は返信あり（まだ対応済みにしていない）、' +
      '`in_progress` は送信処理中、`reserved` は予約中、`sent` は送信済み（日時は `sent_at`）、`unsent` は未送信です。',
    examples: ['sent'],
  }),
  sent_at: z
    .string()
    .nullable()
    .meta({
      description: '最終送信日時（`YYYY/MM/DD HH:mm`）です。未送信なら null です。',
      examples: ['2026/11/02 10:15'],
    }),
  send_at: z
    .string()
    .nullable()
    .meta({ description: '予約日時（`YYYY/MM/DD HH:mm`）です。予約がなければ null です。', examples: [null] }),
};

/** A company with the data of one sender group. */
const prospectView = z.object({
  id: id.describe('見込み客のidです。'),
  active: flag.describe('有効なら1、無効なら0です。'),
  ...prospectState,
  reservation_id: id.nullable().describe('予約のidです。'),
  company_name: z.string().meta({ description: '会社名です。', examples: ['株式会社みどり製作所'] }),
  remarks: z.string().describe('備考です。'),
  remarks_version: version.describe('備考を見分ける印です。`POST /active_prospect/` の `version` に使います。'),
  company_email: z
    .string()
    .nullable()
    .meta({ description: '代表メールです。', examples: ['info@midori.example.jp'] }),
  ceo: z
    .string()
    .nullable()
    .meta({ description: '代表者です。', examples: ['緑川 花子'] }),
  major_industry_type: z
    .string()
    .nullable()
    .meta({ description: '業種です。', examples: ['製造業'] }),
  included_industry_type: z
    .string()
    .nullable()
    .meta({ description: '内部業種です。', examples: ['金属加工, 板金'] }),
  address: z
    .string()
    .nullable()
    .meta({ description: '住所です。', examples: ['東京都大田区蒲田1-2-3'] }),
  number_of_employees: z
    .number()
    .nullable()
    .meta({ description: '従業員数です。', examples: [48] }),
  amount_of_sales: z
    .number()
    .nullable()
    .meta({ description: '売上高（円）です。', examples: [920000000] }),
  ordinary_profit: z
    .number()
    .nullable()
    .meta({ description: '経常利益（円）です。', examples: [31000000] }),
  capital: z
    .number()
    .nullable()
    .meta({ description: '資本金（円）です。', examples: [10000000] }),
  year_of_establishment: z
    .number()
    .nullable()
    .meta({ description: '設立年です。', examples: [1987] }),
  company_url: z
    .string()
    .nullable()
    .meta({ description: '会社URLです。', examples: ['https://midori.example.jp/'] }),
  contact_url: z
    .string()
    .nullable()
    .meta({ description: '問い合わせURLです。', examples: ['https://midori.example.jp/contact'] }),
  phone: z
    .string()
    .nullable()
    .meta({ description: '電話番号です。', examples: ['03-0000-0000'] }),
  ...publication,
});
export type ProspectView = z.infer<typeof prospectView>;

const reservationFilter = idInQuery.optional();

/** Lists prospects. The list is empty for an id of another account. */
export const viewProspects = call({
  method: 'GET',
  path: '/prospect/view',
  summary: '送信者グループから見た見込み客の一覧（絞り込み・並べ替え・ページ）',
  query: z
    .strictObject({
      sender_group_id: idInQuery.describe('送信者グループのidです。'),
      status: z.enum(VIEW_STATUSES).optional().describe('送信状況です。'),
      sender_id: reservationFilter.describe('この送信者（テンプレート）の予約に入っている見込み客に絞り込みます。'),
      reservation_id: reservationFilter.describe('この予約に入っている見込み客に絞り込みます。'),
      ...prospectFilter,
      ...prospectSort,
      own_columns: shownColumns,
      pagenate_count: choiceInQuery(PAGE_SIZES).default(DEFAULT_PAGE_SIZE).describe('1ページの件数です。'),
      pagenate_num: intInQuery(1, 1_000_000).default(1).describe('何ページ目かです。'),
    })
    .superRefine(filtersFit),
  response: z.object({
    rows: z.array(prospectView.extend(ownCells)).describe('このページの見込み客です。'),
    total: z.int().describe('条件に合う全体の件数です。'),
  }),
});

/** Counts the companies of the industries in a column. A company with several industries counts for each. */
export const countIndustries = call({
  method: 'GET',
  path: '/prospect/industries',
  summary: '業種か内部業種の語と、それを含む会社の数',
  query: z.strictObject({
    column: z.enum(['major_industry_type', 'included_industry_type']).describe('業種か、内部業種かです。'),
  }),
  response: z.object({
    too_many: flag.describe('1なら、種類が多すぎて数えていません。'),
    industries: z
      .array(
        z.object({
          term: z.string().describe('業種の語です。'),
          companies: z.int().describe('この語で絞り込むと見つかる会社の数です。'),
        }),
      )
      .describe(`会社の多い順に${MAX_OFFERED_INDUSTRIES}個までです。`),
  }),
});

/** A company without the data of any group. */
export const ownCompany = prospectView
  .omit({
    status: true,
    active: true,
    sent_at: true,
    send_at: true,
    reservation_id: true,
    remarks: true,
    remarks_version: true,
  })
  .extend({
    corporate_number: z
      .string()
      .nullable()
      .meta({ description: '法人番号（13桁の数字）です。', examples: ['7000012050002'] }),
  });

/** The list in the form of the specification's client. Our screen reads /prospect/view. */
export const listProspects = wholeListCall({
  path: '/prospect/list',
  name: 'Prospect',
  summary: '見込み客の一覧',
  description:
    '`where_info` の値は、登録した値と同じものを探します（代表メールは、大文字・小文字を区別しません）。id順です。' +
    '`limit` を指定したときの続きは `offset` か、`where_info[id][gt]` に最後のidを指定して取得します。絞り込みや並べ替えには `/prospect/view` を使います。',
  where: {
    id: idOrBounds.meta({ examples: [{ gt: 1000 }] }),
    company_name: text(1000).optional(),
    corporate_number: text(100).optional(),
    company_email: emailText.optional(),
    external_id: text(MAX_EXTERNAL_ID_LENGTH).optional(),
  },
  row: ownCompany,
});

export const listActiveProspects = wholeListCall({
  path: '/active_prospect/list',
  name: 'ActiveProspect',
  summary: '送信者グループごとの、見込み客の有効・無効と備考の一覧',
  description:
    '`sender_group_id`、`prospect_id` の順です。一度も設定していない見込み客の行はありません（有効、備考なしの扱いです）。`limit` を指定したときの続きは `offset` か、' +
    '`where_info[prospect_id][gt]` に最後のidを指定して取得します。',
  where: { sender_group_id: idFilter.meta({ examples: [1] }), prospect_id: idOrBounds, active: flagFilter },
  row: z.object({
    prospect_id: id.describe('見込み客のidです。'),
    sender_group_id: id.describe('送信者グループのidです。'),
    active: flag.meta({ description: '有効なら1、無効なら0です。', examples: [1] }),
    remarks: z.string().meta({ description: '備考です。', examples: ['展示会で名刺交換'] }),
    remarks_version: version.describe('備考を見分ける印です。`POST /active_prospect/` の `version` に使います。'),
  }),
});

const newActive = flag.optional().meta({ description: '有効にするなら1、無効にするなら0です。', examples: [0] });
const newRemarks = text(MAX_REMARKS_LENGTH).optional().describe('備考です。');

export const saveActiveProspect = call({
  method: 'POST',
  path: '/active_prospect/',
  audience: 'integrator',
  summary: '見込み客の有効・無効と備考を送信者グループごとに保存する',
  description:
    'その見込み客にまだ何も保存していなければ `add_info` を保存し（`added`）、保存してあれば `duplicate_key_update_info` の項目だけを変えます（`updated`）。' +
    '書かない項目は変わらず、新しく保存するときは「有効」「備考なし」になります。' +
    '`version`（備考の `remarks_version`）は、備考を変えるときだけ使います。',
  errors: [
    'not_in_group',
    ['not_found', '見込み客か送信者グループがないか、ほかのアカウントのものであるとき'],
    'remarks_changed',
  ],
  body: z.strictObject({
    add_info: z
      .strictObject({
        prospect_id: id.describe('見込み客のidです。'),
        sender_group_id: id.describe('送信者グループのidです。'),
        active: newActive,
        remarks: newRemarks,
      })
      .describe('まだ何も保存していないときに保存する内容です。'),
    duplicate_key_update_info: z
      .strictObject({ active: newActive, remarks: newRemarks })
      .describe('すでに保存してあるときに変える内容です。'),
    version: seenVersion,
  }),
  response: z.object({
    status: z.enum(['added', 'updated']).describe('新しく保存したか、変更したかです。'),
    version: version.describe('保存した備考を見分ける印です。'),
  }),
});
