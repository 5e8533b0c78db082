import { z } from 'zod';
import { hasUnusableCharacter, parseName } from '#domain/company/person-name.ts';
import { LEGAL_BASES } from '#domain/law/profile.ts';
import { MAX_EMAIL_LENGTH, MAX_NAME_LENGTH } from '#domain/limits.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { NAME_MESSAGES } from './account.ts';
import { MAIL_MESSAGES } from './mail-messages.ts';

const MAX_DEPARTMENT_LENGTH = MAX_NAME_LENGTH;
const MAX_POSTAL_ADDRESS_LENGTH = 200;
const MAX_URL_LENGTH = 500;

const PREFECTURE = /[都道府県]/;

const lengthFault = (written: string, text: string, max: number): string | null =>
  written.length > 4 * max || Array.from(text).length > max ? `${max}文字以下で入力してください` : null;

const characterFault = (text: string): string | null =>
  hasUnusableCharacter(text) || !text.isWellFormed() ? NAME_MESSAGES.unusable_character : null;

/** A text of one line that may be blank. `faultOf` checks a text that is not, in the form that is stored. */
const line = (max: number, faultOf: (text: string) => string | null = () => null, formOf = (text: string) => text) =>
  z
    .string()
    .transform((written, context) => {
      const text = formOf(written.trim());
      const fault = lengthFault(written, text, max) ?? characterFault(text) ?? (text === '' ? null : faultOf(text));
      if (fault === null) return text;
      context.addIssue({ code: 'custom', message: fault });
      return z.NEVER;
    })
    .meta({ documentedAs: z.string().max(max) });

/** Full-width letters, digits and signs become ASCII. The dashes that Japanese keyboards write become hyphens. */
const narrow = (text: string): string => text.normalize('NFKC').replace(/[‐‑‒–—−ー]/g, '-');

const postalCode = (text: string): string =>
  narrow(text)
    .replace(/^〒\s*/, '')
    .replace(/^(\d{3})(\d{4})$/, '$1-$2');

const officialName = line(MAX_NAME_LENGTH, (text) => {
  const parsed = parseName(text);
  return parsed.ok ? null : NAME_MESSAGES[parsed.fault];
});

const emailOrBlank = z
  .string()
  .transform((written, context) => {
    if (written.trim() === '') return '';
    const parsed = parseMailAddress(written);
    if (parsed.ok) return parsed.address;
    context.addIssue({ code: 'custom', message: MAIL_MESSAGES[parsed.reason] });
    return z.NEVER;
  })
  .meta({ documentedAs: z.string().max(MAX_EMAIL_LENGTH) });

const HTTPS = /^https:\/\/[^\s/?#@:]+\.[^\s/?#@:]+(?::\d{1,5})?(?:[/?#][^\s<>"]*)?$/i;
const httpsOrBlank = line(MAX_URL_LENGTH, (text) =>
  HTTPS.test(text) ? null : 'https:// で始まるURLを入力してください',
);

/** What is written of a profile, each field with its check. */
export const LEGAL_PROFILE_FIELDS = {
  official_name: officialName.meta({
    description: '送信者の正式名称（会社名。個人なら氏名）です。登記上の名称で、屋号やサービス名ではありません。',
    examples: ['株式会社サンプル'],
  }),
  department: line(MAX_DEPARTMENT_LENGTH).meta({ description: '部署名です。', examples: ['営業部'] }),
  postal_code: line(
    20,
    (text) => (/^\d{3}-\d{4}$/.test(text) ? null : '郵便番号は 100-0001 の形で入力してください'),
    postalCode,
  ).meta({ description: '郵便番号です。', examples: ['100-0001'] }),
  postal_address: line(MAX_POSTAL_ADDRESS_LENGTH, (text) => {
    const isWhole = Array.from(text).length >= 5 && PREFECTURE.test(text) && /\p{Nd}|丁目|番地/u.test(text);
    return isWhole ? null : '住所は、都道府県から番地まで入力してください';
  }).meta({ description: '住所です。都道府県から番地まで書きます。', examples: ['東京都千代田区千代田1-1'] }),
  contact_phone: line(
    20,
    (text) => (/^[0-9+()-]{9,20}$/.test(text) ? null : '電話番号は 03-0000-0000 の形で入力してください'),
    (text) => narrow(text).replaceAll(' ', ''),
  ).meta({ description: '苦情・お問い合わせを受け付ける電話番号です。', examples: ['03-0000-0000'] }),
  contact_email: emailOrBlank.meta({
    description: '苦情・お問い合わせを受け付けるメールアドレスです。',
    examples: ['support@example.jp'],
  }),
  contact_url: httpsOrBlank.meta({
    description: '苦情・お問い合わせを受け付けるページです。電話番号、メールアドレス、ページのどれか1つは必要です。',
    examples: [''],
  }),
  refusal_email: emailOrBlank.meta({
    description:
      '配信停止を受け付けるメールアドレスです。社外から開けるhttpsのアドレス（PUBLIC_URL）がないサーバーでは、必要です。',
    examples: ['stop@example.jp'],
  }),
  privacy_url: httpsOrBlank.meta({ description: '個人情報の取り扱いについてのページです。', examples: [''] }),
  basis: z.enum(LEGAL_BASES).meta({
    description:
      '宛先に送ってよい根拠です。`published` は公開されているアドレス、`consent` は同意、`notified` は名刺などでの通知、`relation` は取引関係です。',
    examples: ['published'],
  }),
};
