import { isPublicHttps } from './refusal-place.ts';

/** The sender information that a mail must show by 特定電子メール法, article 4: the rules of decisions/legal-profile. */

/** Why the recipients may be mailed (article 3): their published address, consent, a card, or a business relation. */
export const LEGAL_BASES = ['published', 'consent', 'notified', 'relation'] as const;

/** A sender group's profile. An empty text is not given. */
export interface LegalProfile {
  readonly official_name: string;
  readonly department: string;
  /** `NNN-NNNN`. */
  readonly postal_code: string;
  readonly postal_address: string;
  readonly contact_phone: string;
  readonly contact_email: string;
  readonly contact_url: string;
  /** The address for opt-outs, if the program has no URL that recipients can reach. */
  readonly refusal_email: string;
  readonly privacy_url: string;
  readonly basis: (typeof LEGAL_BASES)[number];
}

export const BLANK_PROFILE: LegalProfile = {
  official_name: '',
  department: '',
  postal_code: '',
  postal_address: '',
  contact_phone: '',
  contact_email: '',
  contact_url: '',
  refusal_email: '',
  privacy_url: '',
  basis: 'published',
};

/** The fields that members fill in, in the form's order. */
export const LEGAL_FIELDS = Object.keys(BLANK_PROFILE) as (keyof LegalProfile)[];

export const LEGAL_RULES = ['L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7', 'L8', 'L9', 'L10', 'L11', 'L13', 'L14'] as const;
type LegalRule = (typeof LEGAL_RULES)[number];

/** The rules whose warnings a person must acknowledge before real mails are sent. */
export const LEGAL_WARNINGS = ['L5', 'L8', 'L9', 'L10', 'L11', 'L13', 'L14'] as const satisfies readonly LegalRule[];

/** An error blocks real mails; a warning is shown before they are sent. */
export interface LegalFault {
  readonly code: LegalRule;
  readonly level: 'error' | 'warning';
  /** The field at fault: `legal_profile.postal_code`, `mail_template.html_body`, `sender.subject`. */
  readonly path: string;
  /** Japanese, for the user. */
  readonly message: string;
}

/** Returns the contact details of the sender as mails show them. */
export const contactsOf = ({ contact_phone, contact_email, contact_url }: LegalProfile): string[] =>
  [contact_phone, contact_email, contact_url].filter((contact) => contact !== '');

const fault = (code: LegalRule, level: LegalFault['level'], path: string, message: string): LegalFault => ({
  code,
  level,
  path,
  message,
});

const NO_ADDRESS = '住所を入力してください。';

/** @returns one fault for the whole address, because the answer of an order holds few */
function addressFault({ postal_code, postal_address }: LegalProfile): LegalFault | false {
  if (postal_address === '') return fault('L2', 'error', 'legal_profile.postal_address', NO_ADDRESS);
  return postal_code === '' && fault('L2', 'error', 'legal_profile.postal_code', NO_POSTAL_CODE);
}

/**
 * Checks a profile (L1 to L4, L8, L9).
 * @param isConfirmed a person has confirmed its current content
 * @param publicUrl the origin of the web client
 * @param isRead without it, the program reads the mailbox that takes refusals; its address may be blank in the profile
 */
export function profileFaults(
  profile: LegalProfile,
  isConfirmed: boolean,
  publicUrl: string | null,
  isRead = false,
): LegalFault[] {
  const isReachable = isPublicHttps(publicUrl);
  const { official_name, refusal_email } = profile;
  const rules: readonly (LegalFault | false)[] = [
    official_name === '' &&
      fault(
        'L1',
        'error',
        'legal_profile.official_name',
        '正式名称を入力してください。特定電子メール法第4条の表示義務です。',
      ),
    addressFault(profile),
    contactsOf(profile).length === 0 &&
      fault(
        'L3',
        'error',
        'legal_profile.contact_phone',
        '苦情・お問い合わせを受け付ける電話番号、メールアドレス、URLのいずれかを入力してください。',
      ),
    !isConfirmed &&
      fault(
        'L4',
        'error',
        'legal_profile.confirmed',
        '法定表示の内容を確認し、「内容を確認しました」にチェックしてください。',
      ),
    !isReachable &&
      !isRead &&
      refusal_email === '' &&
      fault('L8', 'error', 'legal_profile.refusal_email', NO_REFUSAL_PLACE),
    !isReachable &&
      !isRead &&
      fault('L8', 'warning', 'public_url', 'ワンクリックでの配信停止は使えません。このサーバーの設定が必要です。'),
    isBrandLike(official_name) &&
      fault(
        'L9',
        'warning',
        'legal_profile.official_name',
        '登記上の名称（個人の場合は氏名）ですか？ 屋号やサービス名だけでは足りません。',
      ),
  ];
  return rules.filter((rule) => rule !== false);
}

const NO_POSTAL_CODE = '郵便番号を入力してください。';
const NO_REFUSAL_PLACE =
  '配信停止の受付先メールを入力してください。このサーバーには社外から開けるhttpsのアドレスがないため、配信停止のリンクを使えません。';

const LEGAL_FORM =
  /(?:株式|有限|合同|合資|合名|相互)会社|法人|組合|協会|機構|事務所|[㈱㈲]|[(（][株有同財社医学福]|\b(?:inc|corp|ltd|llc|co|k\.?k|g\.?k)\b/i;

/** Returns whether a name is neither a company's registered form nor a person's two names. */
const isBrandLike = (name: string): boolean => name !== '' && !LEGAL_FORM.test(name) && !/\S\s+\S/.test(name);
