import { z } from 'zod';
import { call } from './call.ts';
import { addressee, suppressed } from './company.ts';
import { MAX_WRITTEN } from './company-fields.ts';
import { flag, id, idInQuery, text } from './wire.ts';

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
