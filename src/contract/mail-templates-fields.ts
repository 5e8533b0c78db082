import { z } from 'zod';
import { hasUnusableCharacter } from '#domain/company/person-name.ts';
import { MAX_NAME_LENGTH, MAX_SUBJECT_LENGTH, MAX_TEMPLATE_LENGTH } from '#domain/limits.ts';
import { flag, id, idInPath, text, version } from './wire.ts';

/** The fields that the calls of templates share. */

const BLANK = '入力してください';
const isFilled = (value: string): boolean => value.trim() !== '';
const UNUSABLE = '使えない文字（改行や、文字の向きを変える記号など）が含まれています';
/** Line ends of a subject, NUL and halves of characters have their own messages. */
const isUsable = (value: string): boolean => !hasUnusableCharacter(value.replace(/[\r\n\0\p{Cs}]/gu, ''));

/** A name that only people see: of a template or a folder. */
export const label = (description: string, example: string) =>
  text(MAX_NAME_LENGTH)
    .refine(isFilled, BLANK)
    .refine(isUsable, UNUSABLE)
    .meta({ description, examples: [example] });

export const templateName = label('見分けるための名前です。メールには入りません。', '業務改善のご提案');
export const subjectTemplate = text(MAX_SUBJECT_LENGTH)
  .refine(isFilled, BLANK)
  .refine((value) => !/[\r\n]/.test(value), '件名に改行は使えません')
  .refine(isUsable, `件名に${UNUSABLE}`)
  .meta({ description: '件名です。差し込み項目を使えます。', examples: ['受発注業務の効率化のご提案'] });
export const textBody = text(MAX_TEMPLATE_LENGTH)
  .refine(isFilled, BLANK)
  .meta({ description: '本文（テキスト）です。', examples: ['{{ company_name }}\n{{ person_in_charge }}\n'] });
export const htmlBody = text(MAX_TEMPLATE_LENGTH).meta({
  description: '本文（HTML）です。空なら、テキストだけのメールになります。',
  examples: ['<p>{{ company_name }}<br>{{ person_in_charge }}</p>'],
});

/** The editors of the screen. `rich` makes both bodies from one source. */
export const TEMPLATE_EDITORS = ['rich', 'html', 'text'] as const;
export const editor = z.enum(TEMPLATE_EDITORS).meta({
  description: '編集に使った画面です。`rich` は「かんたん」、`html` は「HTML」、`text` は「テキスト」です。',
  examples: ['html'],
});
export const textFollows = flag.meta({
  description: '「かんたん」で、テキスト版をHTMLと同じ内容から作るなら1です。作るのは画面で、APIは本文を変えません。',
  examples: [0],
});

export const updatedAt = z
  .string()
  .meta({ description: '最後に変更した日時です。', examples: ['2026/11/20 12:00:00'] });
export const updatedBy = z
  .string()
  .nullable()
  .meta({ description: '最後に変更した人の氏名です。わからなければ null です。', examples: ['山田 太郎'] });
export const folderId = id.nullable().describe('フォルダーのidです。どのフォルダーにもなければ null です。');
export const archived = flag.meta({ description: 'アーカイブされているなら1です。', examples: [0] });
export const versionNumber = z.int().meta({ description: '何番目の版かです。1から始まります。', examples: [3] });
export const reservations = z.int().meta({
  description: 'このテンプレートを使う、まだ送信されていない予約の数です。変更は予約にも反映されます。',
  examples: [0],
});
export const ofTemplate = z.object({ id: idInPath.describe('テンプレートのidです。') });

export const TEMPLATE_RULES = `テンプレートは [Liquid](https://liquidjs.com/) で書きます。保存できるのは、送信できるものだけです。

- 使える差し込み項目は \`merge_fields\` のとおりです。\`person_in_charge\` は「様」まで付き、担当者がわからなければ「ご担当者様」になります。\
候補日を1行ずつ書くときは \`candidate_date_lines\` を繰り返します。
- 法定表示と配信停止の案内は、\`legal_footer\` の場所に入ります。\`legal_footer\` も \`unsubscribe_url\` もない本文には、\
末尾に自動で入ります。自分で書くときは \`legal.official_name\`・\`legal.postal_address\`・\`legal.contact\` と、\
「配信停止」などの語のすぐ近くに \`unsubscribe_url\` を入れます。
- 使えるタグは \`if\`・\`elsif\`・\`else\`・\`unless\`・\`case\`・\`when\`・\`for\`・\`comment\`・\`raw\`、\
使えるフィルターは \`default\`・\`strip\`・\`upcase\`・\`downcase\`・\`size\` です。\
\`for\` は \`{% for line in candidate_date_lines %}\` の形だけが使え、入れ子にできません。範囲（\`(1..9)\`）は使えません。
- タグと差し込み項目は合わせて500個まで、1つ500文字まで、入れ子は10段まで、\`for\` の中は合わせて2000文字までです。
- これら以外のタグ・フィルター・項目、閉じていないタグ、改行の入る件名、条件によって空になる件名や本文は、行番号とともに断ります。`;

/** A stored text: it may break a rule that is newer than it. */
export const stored = (field: z.ZodType) => z.string().meta(field.meta() ?? {});

const storedSubject = stored(subjectTemplate);

export const senderOfTemplate = z.object({
  id: id.describe('送信者のidです。'),
  sender_group_id: id.describe('送信者グループのidです。'),
  group: z.string().meta({ description: '送信者グループの名前です。', examples: ['営業1課'] }),
  profile_id: id.describe('差出人のidです。'),
  person_in_charge: z.string().meta({ description: '担当者です。', examples: ['山田 太郎'] }),
  email: z.string().meta({ description: '差出人のメールアドレスです。', examples: ['yamada@example.jp'] }),
  subject: storedSubject.describe('この送信者のメールの件名です。'),
  own_subject: storedSubject
    .nullable()
    .describe('送信者が別に持つ件名です。null なら、テンプレートの件名（`subject`）を使います。'),
  active: flag.meta({ description: '使っているなら1です。', examples: [1] }),
});

export const templateFault = z.object({
  path: z.string().meta({ description: '保存するときの項目です。', examples: ['text_body', 'senders.0.subject'] }),
  message: z.string().meta({ description: '直し方です。', examples: ['1行目：「sort」というフィルターは使えません'] }),
});

/** The answer to a change of the content. */
export const updatedTemplate = z.object({
  status: z.literal('updated').describe('変更しました。'),
  id: id.describe('テンプレートのidです。'),
  version,
  number: versionNumber,
  updated_at: updatedAt,
  reservations,
});

/** The answer to a change of anything else. */
export const movedTemplate = z.object({
  status: z.literal('updated').describe('変更しました。すでにその状態のときも同じです。'),
  id: id.describe('テンプレートのidです。'),
});
