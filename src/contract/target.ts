import { z } from 'zod';
import { MAX_TARGETS } from '#domain/limits.ts';
import { SKIP_REASONS } from '#domain/sending/eligibility.ts';
import { jsonOr } from './json-parameter.ts';
import { emailText, id, text } from './wire.ts';

/** The client's fields for the companies to be mailed, and the answer for each one that is left out. */

/**
 * A target as a client sends it. The server identifies it by prospect_id alone. company_email is read in test mode
 * only, where it is the test address; each `[n]` in it becomes the row's index. The client sends null where its list
 * had no address.
 */
export const target = z
  .strictObject({
    prospect_id: id.describe('見込み客のidです。'),
    company_name: text(1000).optional().describe('会社名です。メールには、見込み客に登録された会社名が入ります。'),
    company_email: emailText.nullish().meta({
      description:
        'テストモードのときの送信先です。`[n]` は、0から始まる行の番号になります。null なら対象外（`no_email`）です。テストモードでなければ使いません。',
      examples: ['test+[n]@example.jp'],
    }),
    person_in_charge: text(1000)
      .nullish()
      .describe('宛名です。メールには、見込み客に登録された代表者が入ります。登録されていなければ「ご担当者様」です。'),
  })
  .meta({ schemaName: 'AttackListTarget' });
export type AskedTarget = z.output<typeof target>;

export const attackList = <Entry extends z.ZodType>(entry: Entry) =>
  jsonOr(z.array(entry).min(1, 'アタックリストが0件です').max(MAX_TARGETS));

export const skippedTarget = z
  .object({
    prospect_id: id.describe('見込み客のidです。'),
    reason: z.enum(SKIP_REASONS).describe('対象外の理由です。'),
  })
  .meta({ schemaName: 'SkippedTarget' });

/** Makes the mails of a list follow-ups. */
export const followUpOf = id.optional().meta({
  description:
    'フォローアップにする送信ログのidです。その送信のメールへの返信の形（件名は「Re: 」と元の件名）で送ります。' +
    '届いていない、返信があった、あとにメールを送った、またはフォローアップの送信だった見込み客は対象外です。省略すると、はじめてのメールです。',
  examples: [12],
});
