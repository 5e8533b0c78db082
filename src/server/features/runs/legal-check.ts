import { randomUUID } from 'node:crypto';
import { subjectFaults } from '#domain/law/mail.ts';
import type { LegalFault } from '#domain/law/profile.ts';
import { addressKey, domainOf } from '#domain/mail/address-key.ts';
import { looksPersonal } from '#domain/mail/person-address.ts';
import { isProviderDomain } from '#domain/sending/rules/domain-limit.ts';
import { Problem } from '../../platform/problem.ts';
import { finishedMailFaults } from '../mail-content/legal-footer.ts';
import { exampleValues, mergeKeysOf } from '../mail-content/merge-keys.ts';
import { type MailTarget, type RenderedMail, type RunMail, renderMail } from '../mail-content/run-mail.ts';
import type { LegalState, LoadedSender, Target } from './order.queries.ts';

/** A random key, which no template contains: a link copied from a preview into a template is not the mail's own. */
const KEY = randomUUID().replaceAll('-', '');
const PERSON = '見本 太郎';
const EXAMPLE = { company_name: '株式会社見本', mail_key: KEY };

/** Two mails of a run: to a company without own values, and to a person with all, whose footer has another form. */
const examplesOf = (mail: RunMail): readonly MailTarget[] => [
  { ...EXAMPLE, person_in_charge: '' },
  {
    ...EXAMPLE,
    person_in_charge: PERSON,
    person_id: 0,
    merge_values: exampleValues(mergeKeysOf(mail), PERSON, () => '見本'),
  },
];
const EXAMPLE_DATES = ['・11月24日(火) 9:00〜18:00'];

/**
 * Checks a run's profile, sender and example mails, with and without a person and dates (L1 to L11).
 * Mails of a SendGrid template cannot be read here: a person must have confirmed its footer.
 * @param mail whose templates have been checked
 * @returns each fault once
 */
export function runFaults(sender: LoadedSender, mail: RunMail, state: LegalState): LegalFault[] {
  const faults = [...state.faults, ...senderFaults(sender), ...subjectFaults(mail.subject)];
  return withBodyFaults(faults, () => exampleFaults(sender, mail));
}

/**
 * Checks one rendered mail of an unsaved template (L1 to L9, L11).
 * @param isFooterConfirmed of SendGrid's template, whose mails cannot be read here
 */
export const unsavedFaults = (
  mail: RunMail,
  rendered: RenderedMail,
  state: LegalState,
  isFooterConfirmed: boolean,
): LegalFault[] =>
  withBodyFaults([...state.faults, ...subjectFaults(mail.subject)], () => {
    if (mail.sendgrid_template_id) return isFooterConfirmed ? [] : [FOOTER_UNCONFIRMED];
    return finishedMailFaults(mail, rendered);
  });

/**
 * Adds the faults of bodies, unless the profile has errors, which the bodies would repeat.
 * @param found in the profile, the sender and the subject; only a profile has errors among them
 * @returns each fault once
 */
function withBodyFaults(found: readonly LegalFault[], bodyFaults: () => readonly LegalFault[]): LegalFault[] {
  const isProfileComplete = found.every(({ level }) => level === 'warning');
  const faults = isProfileComplete ? [...found, ...bodyFaults()] : found;
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values()];
}

function senderFaults({ may_send }: LoadedSender): LegalFault[] {
  if (may_send) return [];
  const message = '差出人のドメインを確認できません。送信者を偽ることは禁じられています（第5条）。';
  return [{ code: 'L10', level: 'warning', path: 'sender.email', message }];
}

function exampleFaults(sender: LoadedSender, mail: RunMail): LegalFault[] {
  if (mail.sendgrid_template_id) {
    return sender.sendgrid_footer_confirmed_at === null ? [FOOTER_UNCONFIRMED] : [];
  }
  return [[], EXAMPLE_DATES].flatMap((candidate_dates) => {
    const example = { ...mail, candidate_dates };
    return examplesOf(mail).flatMap((target) => finishedMailFaults(example, renderMail(example, target), KEY));
  });
}

const FOOTER_UNCONFIRMED: LegalFault = {
  code: 'L7',
  level: 'error',
  path: 'mail_template.sendgrid_footer_confirmed',
  message:
    'SendGridのテンプレートの本文は、ここでは確認できません。法定表示の項目が入っていることを確かめ、「確認しました」にチェックしてください。',
};

/** Warns of an attack list's addresses (L13 of companies' own, L14). @param test whether they are test addresses */
export function targetFaults(
  { email, member_email }: LoadedSender,
  { legal }: LegalState,
  targets: readonly Target[],
  test: boolean,
): LegalFault[] {
  const addressesOf = (some: readonly Target[]) => some.map(({ mail_to }) => mail_to ?? '');
  if (test) {
    const message = 'テスト送信先が自社のアドレスではありません。';
    const isForeign = (address: string) => ![email, member_email].some((own) => isOfSameCompany(address, own));
    return addressesOf(targets).some(isForeign)
      ? [{ code: 'L14', level: 'warning', path: 'attack_list', message }]
      : [];
  }
  const ofCompanies = addressesOf(targets.filter(({ person_id }) => person_id === null));
  const personal = legal.basis === 'published' ? ofCompanies.filter(looksPersonal).length : 0;
  if (personal === 0) return [];
  const message = `個人宛てと思われるアドレスが${personal}件あります。`;
  return [{ code: 'L13', level: 'warning', path: 'attack_list', message }];
}

/** Checks whether two addresses share a company's domain, or are the same at a provider without their `+` part. */
function isOfSameCompany(address: string, own: string): boolean {
  const domain = domainOf(own);
  if (domainOf(address) !== domain) return false;
  const bare = (text: string) => addressKey(text).replace(/\+[^@]*(?=@)/, '');
  return !isProviderDomain(domain) || bare(address) === bare(own);
}

/**
 * Returns the legal faults in a test's answer, which do not block it.
 * @param faults a refusal: the example mails cannot be rendered, which the test's own mails report
 */
export const answerOfTest = (faults: readonly LegalFault[] | Problem): { readonly legal_faults?: LegalFault[] } =>
  faults instanceof Problem || faults.length === 0 ? {} : { legal_faults: [...faults] };

/** Refuses a run with errors. Each detail names one with its field. */
export function incompleteLegal(faults: readonly LegalFault[]): Problem | null {
  const errors = faults.filter(({ level }) => level === 'error');
  if (errors.length === 0) return null;
  const details = errors.map(({ path, message }) => ({ path, message }));
  // A waiting reservation shows only the message.
  const others = errors.length > 1 ? `（ほか${errors.length - 1}件）` : '';
  const message = `${INCOMPLETE}${errors[0]?.message}${others}テスト送信はできます。`;
  return new Problem('legal_incomplete', message, undefined, details);
}

const INCOMPLETE = '特定電子メール法の求める表示が足りないため、送信と予約ができません。';
