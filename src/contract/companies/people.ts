import { z } from 'zod';
import { MAX_NAME_LENGTH, MAX_PEOPLE_OF_COMPANY, MAX_PHONE_LENGTH, MAX_SEARCH_LENGTH } from '#domain/limits.ts';
import { suppressionNotice } from '../answers/suppressions.ts';
import { call } from '../call.ts';
import { flag, id, idempotencyHeaders, idInPath, idInQuery, text, version } from '../wire.ts';

/** People of a company, 相手の人. One of them is its 主担当, to whom its mails may go. */

const MAX_WRITTEN = 1000;

const written = (description: string, example: string) =>
  text(MAX_WRITTEN)
    .nullable()
    .optional()
    .meta({ description, examples: [example] });

const personInfo = {
  name: written(`氏名です（${MAX_NAME_LENGTH}文字まで）。`, '佐藤 一郎'),
  department: written(`部署です（${MAX_NAME_LENGTH}文字まで）。`, '購買部'),
  title: written(`役職です（${MAX_NAME_LENGTH}文字まで）。`, '部長'),
  email: written('担当者メールです。', 'ichiro.sato@midori.example.jp'),
  phone: written(`電話番号（携帯、直通）です（${MAX_PHONE_LENGTH}文字まで）。`, '090-0000-0000'),
  met_on: written('名刺交換日です。', '2026/11/20'),
};
export const PERSON_FIELDS = Object.keys(personInfo) as (keyof typeof personInfo)[];
export type PersonField = keyof typeof personInfo;

const isPrimary = flag.meta({ description: '主担当なら1です。', examples: [1] });
const archived = flag.meta({ description: '宛先から外した人なら1です。', examples: [0] });
const nameOf = z.string().meta({ description: '氏名です。なければ空です。', examples: ['佐藤 一郎'] });
const departmentOf = z.string().meta({ description: '部署です。なければ空です。', examples: ['購買部'] });
const titleOf = z.string().meta({ description: '役職です。なければ空です。', examples: ['部長'] });
const emailOf = z
  .string()
  .nullable()
  .meta({ description: '担当者メールです。', examples: ['ichiro.sato@midori.example.jp'] });
const suppressed = suppressionNotice
  .nullable()
  .describe(
    '担当者メールの配信停止です。配信停止でなければ null です。主担当が配信停止なら、代表メールにも送りません。',
  );
const addressee = z.string().meta({ description: 'メールに入る宛名です。', examples: ['購買部 部長 佐藤 一郎 様'] });

/** The person to whom a mail goes. */
export const mailedPerson = z
  .object({ id: id.describe('人のidです。'), addressee })
  .nullable()
  .describe('メールの宛先の人と、そのメールの宛名です。代表メールへのメールと、宛先を消したメールでは null です。');

export const companyPerson = z
  .object({
    id: id.describe('人のidです。'),
    version,
    name: nameOf,
    department: departmentOf,
    title: titleOf,
    email: emailOf,
    phone: z
      .string()
      .nullable()
      .meta({ description: '電話番号（携帯、直通）です。', examples: ['090-0000-0000'] }),
    met_on: z
      .string()
      .nullable()
      .meta({ description: '名刺交換日（`YYYY-MM-DD`）です。', examples: ['2026-11-20'] }),
    is_primary: isPrimary,
    archived,
    suppressed,
    addressee,
    sent_at: z
      .string()
      .nullable()
      .meta({
        description:
          'この人に最後にメールを送った日時（`YYYY/MM/DD HH:mm`）です。テスト送信は数えません。なければ null です。',
        examples: ['2026/11/20 12:00'],
      }),
  })
  .meta({ schemaName: 'CompanyPerson' });
export type CompanyPerson = z.infer<typeof companyPerson>;

const READ_RULES =
  '値は、CSVの取り込みと同じ規則で読みます。空、`-`、null は「値なし」です。氏名・部署・役職・担当者メール・電話番号のどれかが必要です。';

export const createPerson = call({
  method: 'POST',
  path: '/person',
  audience: 'integrator',
  summary: '会社に人を追加する',
  description: `${READ_RULES}

- 1社に${MAX_PEOPLE_OF_COMPANY}人まで追加できます（宛先から外した人も数えます）。
- 会社の最初の人は、主担当になります。\`is_primary\` が1なら、ほかの人の代わりに主担当になります。
- 同じ会社に同じ人がいれば、何もせずに 409 を返します（\`details\` の \`id\` と \`name\` がその人です）。両方に担当者メールがあるときは、アドレスが同じで、\
氏名が同じか片方にないとき、ほかは、氏名が同じで、部署が同じか片方にないときに、同じ人とします。`,
  errors: [
    'invalid_person',
    ['not_found', '見込み客がないか、ほかのアカウントのものであるとき'],
    'same_person',
    'too_many_people',
  ],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z
      .strictObject({ prospect_id: id.describe('見込み客のidです。'), ...personInfo, is_primary: isPrimary.optional() })
      .describe('追加する人です。'),
  }),
  response: z.object({
    status: z.literal('added').describe('追加しました。'),
    id: id.describe('人のidです。'),
    version,
  }),
});

export const updatePerson = call({
  method: 'PUT',
  path: '/person/:id',
  audience: 'integrator',
  summary: '会社の人を1人変更する',
  description: `${READ_RULES}

- \`update_info\` に書いた項目だけを変えます。
- \`version\` には、読んだときの値（\`GET /prospect/{id}\` の \`people\`）を指定します。そのあとに内容が変わっていれば、何もせずに 409 を返します。
- \`is_primary\` が1なら、ほかの人の代わりに主担当になります。0なら、主担当から外します。
- \`archived\` が1なら、宛先から外します。主担当なら、主担当もなくなります。`,
  errors: ['invalid_person', 'person_changed', 'same_person'],
  params: z.object({ id: idInPath.describe('人のidです。') }),
  body: z
    .strictObject({
      version: version.max(100),
      update_info: z
        .strictObject({ ...personInfo, is_primary: isPrimary.optional(), archived: archived.optional() })
        .describe('変更する項目です。'),
    })
    .refine(({ update_info }) => !(update_info.is_primary === 1 && update_info.archived === 1), {
      path: ['update_info', 'is_primary'],
      message: '宛先から外した人は主担当にできません',
    }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。すでにその内容のときも同じです。'),
    id: id.describe('人のidです。'),
    version,
  }),
});

const asked = (description: string) => text(MAX_WRITTEN).optional().describe(description);

/** Checks a person while a member types, without changing anything. */
export const checkPerson = call({
  method: 'GET',
  path: '/person/check',
  audience: 'integrator',
  summary: '保存する前に、同じ人・宛名・配信停止・変更の及ぶメールを調べる',
  description: `人の追加・編集の画面で、入力した値について知らせることを返します。保存はしません。

- \`same\`: 同じ会社の同じ人です（\`POST /person\` の規則）。いれば、追加も変更もできません。
- \`affected\`: 主担当の担当者メールを変えるときに、アドレスか宛名が変わる、この会社へのこれからのメールの数です（\`GET /prospect/check\` と同じ）。\
主担当でない人なら、すべて0です。`,
  errors: [['not_found', '見込み客か人がないか、ほかのアカウントのものであるとき']],
  query: z.strictObject({
    prospect_id: idInQuery.describe('見込み客のidです。'),
    id: idInQuery.optional().describe('編集する人のidです。追加なら省略します。'),
    name: asked('氏名です。'),
    department: asked('部署です。'),
    title: asked('役職です。'),
    email: asked('担当者メールです。'),
  }),
  response: z.object({
    addressee,
    same: z
      .object({ id: id.describe('人のidです。'), name: nameOf, archived })
      .nullable()
      .describe('同じ人です。いなければ null です。'),
    suppressed,
    affected: z
      .object({
        reserved: z.int().meta({ description: '送信前の予約の数です。', examples: [1] }),
        queued: z.int().meta({ description: '送信待ちのメールの数です。', examples: [0] }),
        sending: z.int().meta({ description: '送信中のメールの数です。', examples: [0] }),
        failed: z.int().meta({ description: '失敗したメールの数です。', examples: [0] }),
      })
      .describe('この会社への、これからのメールの数です。'),
  }),
});

/** The people that a search returns. */
export const MAX_FOUND_PEOPLE = 10;

export const findPeople = call({
  method: 'GET',
  path: '/person/find',
  audience: 'integrator',
  summary: '氏名か担当者メールの初めの文字で、人を探す',
  description: `アーカイブした会社の人と、宛先から外した人は出ません。全角・半角、大文字・小文字、空白は区別しません。${MAX_FOUND_PEOPLE}人まで返します。`,
  query: z.strictObject({
    text: text(MAX_SEARCH_LENGTH).meta({ description: '氏名か担当者メールの初めの文字です。', examples: ['佐藤'] }),
  }),
  response: z.array(
    z
      .object({
        id: id.describe('人のidです。'),
        prospect_id: id.describe('見込み客のidです。'),
        company_name: z.string().meta({ description: '会社名です。', examples: ['株式会社みどり製作所'] }),
        name: nameOf,
        department: departmentOf,
        title: titleOf,
        email: emailOf,
        is_primary: isPrimary,
      })
      .meta({ schemaName: 'FoundPerson' }),
  ),
});
