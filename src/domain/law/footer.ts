import { contactsOf, type LegalProfile } from './profile.ts';
import type { RefusalPlace } from './refusal-place.ts';

const RULE = '-'.repeat(60);

/** The address with its postal code, as mails show it. */
export const postalLine = ({ postal_code, postal_address }: LegalProfile): string =>
  [postal_code === '' ? '' : `〒${postal_code}`, postal_address].filter((part) => part !== '').join(' ');

export const contactLine = (profile: LegalProfile): string => contactsOf(profile).join(' / ');

export interface FooterLines {
  /** Above the notice: name, address, contact. */
  readonly head: readonly string[];
  /** The sentence on opting out, directly before the opt-out place; null: no place. */
  readonly notice: string | null;
  /** Below the place. */
  readonly tail: readonly string[];
}

/**
 * Returns the lines of the footer around its opt-out place. Empty fields have no line.
 * @param isToPerson the mail goes to a person's address, of which it does not say that the company publishes it
 */
export function footerLines(profile: LegalProfile, place: RefusalPlace | null, isToPerson = false): FooterLines {
  const labelled = [
    ['送信者', [profile.official_name, profile.department].filter((part) => part !== '').join(' ')],
    ['住所', postalLine(profile)],
    ['お問い合わせ・苦情', contactLine(profile)],
    ['個人情報の取り扱い', profile.privacy_url],
  ] as const;
  return {
    head: labelled.flatMap(([label, value]) => (value === '' ? [] : [`${label}: ${value}`])),
    notice: place && ('url' in place ? URL_NOTICE : EMAIL_NOTICE),
    tail: [
      ...(place && 'email' in place && place.takesAnswers ? [ANSWER_NOTICE] : []),
      ...(profile.basis === 'published' && !isToPerson ? [PUBLISHED] : []),
    ],
  };
}

const URL_NOTICE = '今後このようなご案内が不要な場合は、次のURLから配信を停止（受信を拒否）できます。';
const EMAIL_NOTICE =
  '今後このようなご案内が不要な場合は、次のメールアドレスへご連絡ください。配信を停止（受信を拒否）いたします。';
const ANSWER_NOTICE = 'このメールに「配信停止」と書いて返信していただいても、停止いたします。';
const PUBLISHED = 'このメールは、貴社が公開されているメールアドレスにお送りしています。';

/** The opt-out place as mails print it. */
export const shownPlace = (place: RefusalPlace): string => ('url' in place ? place.url : place.email);

/** Returns the footer of a text body, without a final line break. */
export function textFooter(profile: LegalProfile, place: RefusalPlace | null, isToPerson = false): string {
  const { head, notice, tail } = footerLines(profile, place, isToPerson);
  const refusal = place === null || notice === null ? [] : [notice, shownPlace(place)];
  return [RULE, ...head, ...refusal, ...tail].join('\n');
}
