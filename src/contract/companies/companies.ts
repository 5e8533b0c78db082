import { z } from 'zod';
import { DELIVERY_REASONS, SHOWN_STATES } from '#domain/sending/delivery-state.ts';
import { suppressionNotice } from '../answers/suppressions.ts';
import { call } from '../call.ts';
import {
  failureCause,
  flag,
  id,
  idempotencyHeaders,
  idInPath,
  intInQuery,
  memberName,
  text,
  version,
} from '../wire.ts';
import { ownDetail, ownInfo } from './own-values.ts';
import { companyPerson, mailedPerson } from './people.ts';
import { ownCompany, prospectState } from './prospects.ts';

/** The longest typed value of any field. Each field has its own, shorter limit. */
export const MAX_WRITTEN = 2100;

/** A typed value, which the server reads as an import reads a cell. */
const written = (description: string, example: string) =>
  z
    .union([text(MAX_WRITTEN), z.number()])
    .nullable()
    .optional()
    .meta({ description, examples: [example], documentedAs: z.union([text(MAX_WRITTEN), z.number(), z.null()]) });

/** The fields of an added or changed company. */
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
  phone: written('電話番号です（100文字まで）。', '03-0000-0000'),
  published_at_url: written('公開元URL（代表メールが公開されているページ）です。', 'https://midori.example.jp/company'),
  published_seen_on: written('公開元を確認した日です。', '2026/11/20'),
  publication_notice: written(
    '公開元に営業メールをお断りする表示があれば `○`（`refused`）、なければ `×`（`none`）です。',
    '○',
  ),
};
export const COMPANY_FIELDS = Object.keys(companyInfo) as (keyof typeof companyInfo)[];
export type CompanyField = (typeof COMPANY_FIELDS)[number];
const writtenInfo = z.strictObject({ ...companyInfo, ...ownInfo });

/** The calls for one company: read, add, edit and archive. */

const READ_RULES = `値は、CSVの取り込みと同じ規則で読みます。数は \`1.2億\`、\`1,200万円\`、\`△500\` のようにも書けます。空、\`-\`、null は「値なし」です。`;
const ofCompany = z.object({ id: idInPath.describe('見込み客のidです。') });
export const suppressed = suppressionNotice
  .nullable()
  .describe('代表メールの配信停止です。配信停止でなければ null です。');
export const addressee = z
  .string()
  .meta({ description: 'メールに入る宛名です。', examples: ['代表取締役 緑川 花子 様'] });

const companyDetail = ownCompany
  .extend({
    ...ownDetail,
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
          '配信停止を求めている可能性のある返信があり、対応を選ぶまで送らないなら、その返信の会社です（この会社か、同じメールアドレスに送ったほかの会社）。なければ null です。',
        examples: [null],
      }),
    replied: flag.meta({
      description: '対応済みにしていない返信（自動返信を除く）があるなら1です。どの送信者グループからも送りません。',
      examples: [0],
    }),
    replies: z.int().meta({ description: '返信の数です（`GET /reply/view`）。', examples: [0] }),
    people: z.array(companyPerson).describe('会社の人です。主担当、ほかの人、宛先から外した人の順です。'),
    groups: z
      .array(
        z.object({
          sender_group_id: id.describe('送信者グループのidです。'),
          group_name: z.string().meta({ description: '送信者グループの名前です。', examples: ['首都圏営業部'] }),
          active: flag.meta({ description: '有効なら1です。', examples: [1] }),
          remarks: z.string().meta({ description: '備考です。', examples: ['展示会で名刺交換'] }),
          remarks_version: version.describe('備考を見分ける印です。`POST /active_prospect/` の `version` に使います。'),
          ...prospectState,
          reservation_id: id
            .nullable()
            .meta({ description: '予約のidです。予約がなければ null です。', examples: [null] }),
        }),
      )
      .describe('送信者グループごとの、有効・無効、備考、ステータス、送信と予約の日時です。'),
  })
  .meta({ schemaName: 'CompanyDetail' });
export type CompanyDetail = z.infer<typeof companyDetail>;

export const getProspect = call({
  method: 'GET',
  path: '/prospect/:id',
  audience: 'integrator',
  summary: '1社の詳細',
  description: 'アーカイブした会社も返します。',
  params: ofCompany,
  response: companyDetail,
});

const acknowledged = flag
  .optional()
  .meta({ description: '会社名の同じ会社があっても保存するなら1です。', examples: [0] });
export const createProspect = call({
  method: 'POST',
  path: '/prospect',
  audience: 'integrator',
  summary: '会社を1社追加する',
  description: READ_RULES,
  errors: ['invalid_company', 'same_company', 'similar_company', 'too_many_companies'],
  headers: idempotencyHeaders,
  largeBody: true,
  body: z.strictObject({ add_info: writtenInfo.describe('追加する会社です。'), acknowledged }),
  response: z.object({
    status: z.literal('added').describe('追加しました。'),
    id: id.describe('見込み客のidです。'),
    version,
  }),
});

export const updateProspect = call({
  method: 'PUT',
  path: '/prospect/:id',
  audience: 'integrator',
  summary: '会社を1社変更する',
  description: `${READ_RULES}

- \`update_info\` に書いた項目だけを変えます。
- \`version\` には、読んだときの値を指定します。そのあとに内容が変わっていれば、何もせずに 409 を返します。\`message\` に、だれがいつ変えたかが入ります。\
いまの値は \`GET /prospect/{id}\` で読めます。
- 元に戻すには、元の値と、答えの \`version\` で、もう一度呼び出します。
- 代表メールを変えたときに、これからのメールがどのアドレスに届くかは、\`GET /prospect/check\` のとおりです。`,
  errors: ['invalid_company', 'same_company', 'similar_company', 'company_changed', 'external_id_set'],
  params: ofCompany,
  largeBody: true,
  body: z.strictObject({
    version: version.max(100),
    update_info: writtenInfo.describe('変更する項目です。'),
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
  audience: 'integrator',
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
  audience: 'integrator',
  summary: 'アーカイブした会社をリストに戻す',
  errors: ['too_many_companies'],
  params: ofCompany,
  response: archivedAnswer,
});

/** The kinds of rows of the history. */
export const TIMELINE_KINDS = [
  'mail',
  'recorded',
  'added',
  'imported',
  'import_undone',
  'edited',
  'archived',
  'restored',
  'activated',
  'deactivated',
  'remarked',
  'suppressed',
  'replied',
  'auto_replied',
] as const;
export type ChangeKind = Exclude<(typeof TIMELINE_KINDS)[number], 'mail' | 'recorded' | 'replied' | 'auto_replied'>;

const value = z.union([z.string(), z.number(), z.null()]);

const timelineEvent = z
  .object({
    kind: z.enum(TIMELINE_KINDS).meta({
      description:
        '`mail` はメール、`recorded` はほかの手段で送った記録、`added` は登録、`imported` は取り込みによる変更、`import_undone` は取り込みの取り消し、' +
        '`edited` は編集、' +
        '`archived`・`restored` はアーカイブと戻したこと、`activated`・`deactivated`・`remarked` は' +
        'グループでの有効・無効・備考の一括変更、`suppressed` は配信停止への登録、`replied` は返信（手動の記録を含む）、`auto_replied` は自動返信です。',
      examples: ['mail'],
    }),
    at: z.string().meta({ description: '日時です。', examples: ['2026/11/20 12:00:03'] }),
    member_name: memberName,
    sender_group_id: id.nullable().describe('送信者グループのidです。'),
    send_log_id: id.nullable().describe('送信ログのidです。'),
    delivery_id: id.nullable().describe('配信のidです（`GET /delivery/{id}` でメールを読めます）。'),
    subject: z
      .string()
      .nullable()
      .meta({ description: '件名のひな形です。', examples: ['受発注業務の効率化のご提案'] }),
    mail_to: z
      .string()
      .nullable()
      .meta({ description: '宛先です。', examples: ['info@midori.example.jp'] }),
    person: mailedPerson,
    state: z
      .enum(SHOWN_STATES)
      .nullable()
      .meta({ description: 'メールの状態です。', examples: ['sent'] }),
    reason: z
      .enum(DELIVERY_REASONS)
      .nullable()
      .meta({ description: '対象外になった理由です。', examples: [null] }),
    cause: failureCause,
    smtp_reply: z
      .string()
      .nullable()
      .meta({ description: 'メールサーバーの最後の応答です。', examples: ['250 2.0.0 Ok: queued as 4F2A1'] }),
    test_send_mode: flag.nullable().meta({ description: 'テスト送信なら1です。', examples: [0] }),
    import_run_id: id.nullable().meta({ description: '取り込みのidです。', examples: [null] }),
    file_name: z
      .string()
      .nullable()
      .meta({ description: '取り込んだファイルの名前です。', examples: [null] }),
    changes: z
      .array(
        z.object({
          field: z.string().meta({ description: '項目です。', examples: ['address'] }),
          label: z.string().optional().describe('自社の項目、タグ、外部IDなら、その名前です。'),
          old: value.meta({ description: '前の値です。', examples: ['東京都港区1-1'] }),
          new: value.meta({ description: '新しい値です。', examples: ['東京都港区2-2'] }),
        }),
      )
      .describe('変わった項目です。'),
  })
  .meta({ schemaName: 'TimelineEvent' });
export type TimelineEvent = z.infer<typeof timelineEvent>;

const MAX_TIMELINE_ROWS = 200;

export const viewTimeline = call({
  method: 'GET',
  path: '/prospect/:id/timeline',
  audience: 'integrator',
  summary: '会社の履歴（メール、取り込み、編集）',
  description: '新しい順です。',
  params: ofCompany,
  query: z.strictObject({
    limit: intInQuery(1, MAX_TIMELINE_ROWS)
      .default(50)
      .describe(`返す件数の上限です（1〜${MAX_TIMELINE_ROWS}、省略すると50）。`),
    offset: intInQuery(0, 1_000_000).default(0).describe('先頭から飛ばす件数です（省略すると0）。'),
  }),
  isList: true,
  response: z.array(timelineEvent),
});
