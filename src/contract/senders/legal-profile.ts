import { z } from 'zod';
import { hasUnusableCharacter, parseName } from '#domain/company/person-name.ts';
import { ACKNOWLEDGEMENTS } from '#domain/law/acknowledgement.ts';
import { LEGAL_BASES, LEGAL_RULES } from '#domain/law/profile.ts';
import { MAX_EMAIL_LENGTH, MAX_NAME_LENGTH } from '#domain/limits.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { NAME_MESSAGES } from '../account/account.ts';
import { call } from '../call.ts';
import { idFilter, listCall } from '../list.ts';
import { flag, id, idInPath, MAIL_MESSAGES, seenVersion, version } from '../wire.ts';

const MAX_DEPARTMENT_LENGTH = MAX_NAME_LENGTH;
const MAX_POSTAL_ADDRESS_LENGTH = 200;
const MAX_URL_LENGTH = 500;

const PREFECTURE = /[都道府県]/;

const lengthFault = (written: string, text: string, max: number): string | null =>
  written.length > 4 * max || Array.from(text).length > max ? `${max}文字以下で入力してください` : null;

const characterFault = (text: string): string | null =>
  hasUnusableCharacter(text) || !text.isWellFormed() ? NAME_MESSAGES.unusable_character : null;

/** A one-line text that may be blank. `faultOf` checks other texts, in their stored form. */
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

/** Converts full-width letters, digits and signs to ASCII, and the dashes of Japanese keyboards to hyphens. */
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

/** The editable fields of a profile, each with its check. */
const LEGAL_PROFILE_FIELDS = {
  official_name: officialName.describe('送信者の正式名称（会社名。個人なら氏名）です。'),
  department: line(MAX_DEPARTMENT_LENGTH).describe('部署名です。'),
  postal_code: line(
    20,
    (text) => (/^\d{3}-\d{4}$/.test(text) ? null : '郵便番号は 100-0001 の形で入力してください'),
    postalCode,
  ).describe('郵便番号です。'),
  postal_address: line(MAX_POSTAL_ADDRESS_LENGTH, (text) => {
    const isWhole = Array.from(text).length >= 5 && PREFECTURE.test(text) && /\p{Nd}|丁目|番地/u.test(text);
    return isWhole ? null : '住所は、都道府県から番地まで入力してください';
  }).describe('住所です。都道府県から番地まで書きます。'),
  contact_phone: line(
    20,
    (text) => (/^[0-9+()-]{9,20}$/.test(text) ? null : '電話番号は 03-0000-0000 の形で入力してください'),
    (text) => narrow(text).replaceAll(' ', ''),
  ).describe('苦情・お問い合わせを受け付ける電話番号です。'),
  contact_email: emailOrBlank.describe('苦情・お問い合わせを受け付けるメールアドレスです。'),
  contact_url: httpsOrBlank.describe('苦情・お問い合わせを受け付けるページです。'),
  refusal_email: emailOrBlank.describe('配信停止を受け付けるメールアドレスです。'),
  privacy_url: httpsOrBlank.describe('個人情報の取り扱いについてのページです。'),
  basis: z.enum(LEGAL_BASES).describe('宛先に送ってよい根拠です。'),
};

/** One fault of a profile, a template or a rendered mail. */
export const legalFault = z
  .object({
    code: z.enum(LEGAL_RULES).meta({ description: '規則の番号です。', examples: ['L2'] }),
    level: z.enum(['error', 'warning']).meta({
      description: '`error` があるあいだは、実際の送信と予約ができません。`warning` は、送る前に確かめたい点です。',
      examples: ['error'],
    }),
    path: z.string().meta({
      description:
        '直す項目です。`legal_profile.postal_address`、`mail_template.html_body`、`sender.subject` などです。',
      examples: ['legal_profile.postal_address'],
    }),
    message: z.string().meta({ description: '利用者に見せる文です。', examples: ['住所を入力してください。'] }),
  })
  .meta({ schemaName: 'LegalFault' });

/**
 * The legal faults in a test's answer. The test is sent; a real run would be refused, or would need an acknowledgement.
 */
export const legalFaultsOfTest = z
  .array(legalFault)
  .optional()
  .meta({
    description:
      'テストモードのときだけの項目です。法律の求める表示で足りない点と、確かめたい点です。なければ入りません。' +
      '`error` があれば、同じ内容の実際の送信と予約は409（`legal_incomplete`）になります。',
    examples: [[]],
  });

/** The warnings that a person has acknowledged. They are only recorded. */
export const acknowledged = z
  .array(z.enum(ACKNOWLEDGEMENTS))
  .max(ACKNOWLEDGEMENTS.length)
  .optional()
  .meta({
    description:
      '送る人が確かめた点（`legal_faults` の `warning` の `code`）です。`domain_health` は、ドメインの設定の問題です。' +
      '`outside_hours` は、土日、祝日、早朝（5:00〜8:00）、夜間（21:00〜5:00）に届くことです。' +
      '`over_limit` は、1日の上限を超える分を、次に送信できる日に送ることです。' +
      '操作の記録に残ります。省略しても送れます。',
    examples: [['L13']],
  });

const shown = (field: z.ZodType) => z.string().meta(field.meta() ?? {});

const state = {
  ready: flag.describe('実際の送信ができる内容なら1です。'),
  faults: z.array(legalFault).describe('足りない点と、確かめたい点です。'),
};

export const listLegalProfiles = listCall({
  path: '/legal_profile/list',
  summary: '法定表示の一覧',
  where: { sender_group_id: idFilter },
  row: z.object({
    sender_group_id: id.describe('送信者グループのidです。'),
    group_name: z.string().describe('送信者グループの名前です。'),
    active: flag.describe('送信者グループを使っているなら1です。'),
    official_name: shown(LEGAL_PROFILE_FIELDS.official_name),
    department: shown(LEGAL_PROFILE_FIELDS.department),
    postal_code: shown(LEGAL_PROFILE_FIELDS.postal_code),
    postal_address: shown(LEGAL_PROFILE_FIELDS.postal_address),
    contact_phone: shown(LEGAL_PROFILE_FIELDS.contact_phone),
    contact_email: shown(LEGAL_PROFILE_FIELDS.contact_email),
    contact_url: shown(LEGAL_PROFILE_FIELDS.contact_url),
    refusal_email: shown(LEGAL_PROFILE_FIELDS.refusal_email),
    privacy_url: shown(LEGAL_PROFILE_FIELDS.privacy_url),
    basis: LEGAL_PROFILE_FIELDS.basis,
    confirmed: flag.describe('今の内容を、だれかが確認していれば1です。'),
    confirmed_at: z.string().nullable().describe('確認した日時です。していなければ null です。'),
    confirmed_by: z.string().nullable().describe('確認した人の氏名です。'),
    has_public_url: flag.describe('社外から開けるhttpsのアドレス（PUBLIC_URL）があるなら1です。'),
    refusal_mailbox: z
      .string()
      .nullable()
      .describe('配信停止の受付先メールが空のときに受付先になる、返信を読むメールボックスです。なければ null です。'),
    version,
    ...state,
  }),
});

const { basis, ...texts } = LEGAL_PROFILE_FIELDS;

export const updateLegalProfile = call({
  method: 'PUT',
  path: '/legal_profile/:sender_group_id',
  needs: 'admin',
  summary: '法定表示を変更する、内容を確認する',
  errors: ['legal_profile_changed'],
  params: z.object({ sender_group_id: idInPath.describe('送信者グループのidです。') }),
  body: z.strictObject({
    update_info: z
      .strictObject({
        ...texts,
        basis,
        confirmed: flag.describe('内容を確認したなら1です。'),
      })
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください'),
    version: seenVersion,
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。'), version, ...state }),
});

export const checkLegal = call({
  method: 'GET',
  path: '/legal_check/:sender_id',
  summary: '送信者のメールが、法律の求める表示を満たすかを確かめる',
  errors: ['not_found', 'invalid_template', 'no_sendgrid_template'],
  params: z.object({ sender_id: idInPath.describe('送信者のidです。') }),
  response: z.object(state),
});
