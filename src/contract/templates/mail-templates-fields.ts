import { z } from 'zod';
import { hasUnusableCharacter } from '#domain/company/person-name.ts';
import { MAX_NAME_LENGTH, MAX_SUBJECT_LENGTH, MAX_TEMPLATE_LENGTH } from '#domain/limits.ts';
import { flag, id, idInPath, text, version } from '../wire.ts';

/** The common fields of calls about templates. */

const BLANK = '入力してください';
const isFilled = (value: string): boolean => value.trim() !== '';
const UNUSABLE = '使えない文字（改行や、文字の向きを変える記号など）が含まれています';
/** Line breaks of a subject, NUL and lone surrogates have their own messages. */
const isUsable = (value: string): boolean => !hasUnusableCharacter(value.replace(/[\r\n\0\p{Cs}]/gu, ''));

/** A name that only people see: of a template or a folder. */
export const label = (description: string) =>
  text(MAX_NAME_LENGTH).refine(isFilled, BLANK).refine(isUsable, UNUSABLE).describe(description);

export const templateName = label('見分けるための名前です。メールには入りません。');
export const subjectTemplate = text(MAX_SUBJECT_LENGTH)
  .refine(isFilled, BLANK)
  .refine((value) => !/[\r\n]/.test(value), '件名に改行は使えません')
  .refine(isUsable, `件名に${UNUSABLE}`)
  .describe('件名です。差し込み項目を使えます。');
export const textBody = text(MAX_TEMPLATE_LENGTH).refine(isFilled, BLANK).describe('本文（テキスト）です。');
export const htmlBody = text(MAX_TEMPLATE_LENGTH).describe(
  '本文（HTML）です。空なら、テキストだけのメールになります。',
);

/** The editors of the screen. `rich` makes both bodies from one source. */
export const TEMPLATE_EDITORS = ['rich', 'html', 'text'] as const;
export const editor = z
  .enum(TEMPLATE_EDITORS)
  .describe('編集に使った画面です。`rich` は「かんたん」、`html` は「HTML」、`text` は「テキスト」です。');
export const textFollows = flag.describe('「かんたん」で、テキスト版をHTMLと同じ内容から作るなら1です。');

export const updatedAt = z.string().describe('最後に変更した日時です。');
export const updatedBy = z.string().nullable().describe('最後に変更した人の氏名です。わからなければ null です。');
export const folderId = id.nullable().describe('フォルダーのidです。どのフォルダーにもなければ null です。');
export const archived = flag.describe('アーカイブされているなら1です。');
export const versionNumber = z.int().describe('何番目の版かです。1から始まります。');
export const reservations = z
  .int()
  .describe('このテンプレートを使う、まだ送信されていない予約の数です。変更は予約にも反映されます。');
export const ofTemplate = z.object({ id: idInPath.describe('テンプレートのidです。') });

/** A stored text, which may break a newer rule. */
export const stored = (field: z.ZodType) => z.string().meta(field.meta() ?? {});

const storedSubject = stored(subjectTemplate);

export const senderOfTemplate = z.object({
  id: id.describe('送信者のidです。'),
  sender_group_id: id.describe('送信者グループのidです。'),
  group: z.string().describe('送信者グループの名前です。'),
  profile_id: id.describe('差出人のidです。'),
  person_in_charge: z.string().describe('担当者です。'),
  email: z.string().describe('差出人のメールアドレスです。'),
  subject: storedSubject.describe('この送信者のメールの件名です。'),
  own_subject: storedSubject
    .nullable()
    .describe('送信者が別に持つ件名です。null なら、テンプレートの件名（`subject`）を使います。'),
  active: flag.describe('使っているなら1です。'),
});

export const templateFault = z.object({
  path: z.string().describe('保存するときの項目です。'),
  message: z.string().describe('直し方です。'),
});

/** The answer to a change of content. */
export const updatedTemplate = z.object({
  status: z.literal('updated').describe('変更しました。'),
  id: id.describe('テンプレートのidです。'),
  version,
  number: versionNumber,
  updated_at: updatedAt,
  reservations,
});

/** The answer to any other change. */
export const movedTemplate = z.object({
  status: z.literal('updated').describe('変更しました。すでにその状態のときも同じです。'),
  id: id.describe('テンプレートのidです。'),
});
