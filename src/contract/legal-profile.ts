import { z } from 'zod';
import { hasUnusableCharacter, parseName } from '#domain/company/person-name.ts';
import { ACKNOWLEDGEMENTS } from '#domain/law/acknowledgement.ts';
import { LEGAL_BASES, LEGAL_RULES } from '#domain/law/profile.ts';
import { MAX_EMAIL_LENGTH, MAX_NAME_LENGTH } from '#domain/limits.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { NAME_MESSAGES } from './account.ts';
import { call } from './call.ts';
import { idFilter, listCall } from './list.ts';
import { flag, id, idInPath, MAIL_MESSAGES, seenVersion, version } from './wire.ts';

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
const LEGAL_PROFILE_FIELDS = {
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

/** One fault of a profile, a template or a finished mail. */
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

/** What the answer to a test says: it goes through, and a real run would not, or would have to be looked at. */
export const legalFaultsOfTest = z
  .array(legalFault)
  .optional()
  .meta({
    description:
      'テストモードのときだけの項目です。法律の求める表示で足りない点と、確かめたい点です。なければ入りません。' +
      '`error` があれば、同じ内容の実際の送信と予約は409（`legal_incomplete`）になります。',
    examples: [[]],
  });

/** The warnings that a person has looked at. They are recorded with the act, and nothing depends on them. */
export const acknowledged = z
  .array(z.enum(ACKNOWLEDGEMENTS))
  .max(ACKNOWLEDGEMENTS.length)
  .optional()
  .meta({
    description:
      '送る人が確かめた点（`legal_faults` の `warning` の `code`）です。`domain_health` は、ドメインの設定の問題（`GET /domain_health/list`）です。' +
      '`outside_hours` は、土日、祝日、早朝（5:00〜8:00）、夜間（21:00〜5:00）に届くことです。' +
      '`over_limit` は、1日の上限を超える分を、次に送信できる日に送ることです。' +
      '操作の記録に残ります。省略しても送れます。',
    examples: [['L13']],
  });

const shown = (field: z.ZodType) => z.string().meta(field.meta() ?? {});

const state = {
  ready: flag.meta({ description: '実際の送信ができる内容なら1です。', examples: [1] }),
  faults: z.array(legalFault).meta({ description: '足りない点と、確かめたい点です。', examples: [[]] }),
};

export const listLegalProfiles = listCall({
  path: '/legal_profile/list',
  name: 'LegalProfile',
  summary: '法定表示の一覧',
  description:
    '送信者グループごとに1つずつ、グループのidの順です。まだ入力していないグループの項目は、空の文字列です。' +
    'メールの末尾に入る表示は、この内容から作られます。',
  where: { sender_group_id: idFilter.meta({ examples: [1] }) },
  row: z.object({
    sender_group_id: id.describe('送信者グループのidです。'),
    group_name: z.string().meta({ description: '送信者グループの名前です。', examples: ['営業1課'] }),
    active: flag.meta({ description: '送信者グループを使っているなら1です。', examples: [1] }),
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
    confirmed: flag.meta({ description: '今の内容を、だれかが確認していれば1です。', examples: [1] }),
    confirmed_at: z
      .string()
      .nullable()
      .meta({ description: '確認した日時です。していなければ null です。', examples: ['2026/11/20 12:00:00'] }),
    confirmed_by: z
      .string()
      .nullable()
      .meta({ description: '確認した人の氏名です。', examples: ['山田 太郎'] }),
    has_public_url: flag.meta({
      description:
        '社外から開けるhttpsのアドレス（PUBLIC_URL）があるなら1です。配信停止のリンクと、ワンクリック停止が使えます。',
      examples: [1],
    }),
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
  description: `指定した項目だけを変更します。空の文字列にすると、その項目は消えます。

- \`confirmed\` を1にすると、内容を確認したことになります。確認のあとに内容を変えると、確認は取り消されます（同じ呼び出しで \`confirmed\` を1にすれば、変えた内容を確認したことになります）。
- \`error\` が残っているあいだは、このグループからの実際の送信と予約が409（\`legal_incomplete\`）になります。テスト送信はできます。`,
  errors: ['legal_profile_changed'],
  params: z.object({ sender_group_id: idInPath.describe('送信者グループのidです。') }),
  body: z.strictObject({
    update_info: z
      .strictObject({
        ...texts,
        basis,
        confirmed: flag.meta({ description: '内容を確認したなら1です。', examples: [1] }),
      })
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください')
      .describe('変更する項目です。'),
    version: seenVersion,
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。'), version, ...state }),
});

export const checkLegal = call({
  method: 'GET',
  path: '/legal_check/:sender_id',
  summary: '送信者のメールが、法律の求める表示を満たすかを確かめる',
  description: `法定表示と、テンプレートから作った見本のメール（担当者と候補日がある場合と、ない場合）を、送信のときと同じ規則で確かめます。何も変えません。

- テスト送信は、\`error\` があってもできます。
- これは確認の補助で、法的な助言ではありません。`,
  errors: ['not_found', 'invalid_template', 'no_sendgrid_template'],
  params: z.object({ sender_id: idInPath.describe('送信者のidです。') }),
  response: z.object(state),
});
