import { withFullForms } from '#domain/company/full-forms.ts';
import { contactLine, postalLine } from '#domain/law/footer.ts';
import { addressee } from '#domain/mail/addressee.ts';
import { answeringSubject } from '#domain/mail/reply.ts';
import { composeMessage, isUnsafeHeader } from '../../platform/mail/compose.ts';
import { mailFooter, type RunLegal, refusalLink, refusalPlaceOf, withFooterField } from './legal-footer.ts';
import { type MergeValues, mergeFieldsOf } from './merge-keys.ts';
import { perRun } from './per-run.ts';
import { readTemplate } from './template.ts';
import type { OwnKeys, TemplatePart } from './template-walk.ts';

/** The sender of a run. */
export interface RunSender {
  readonly person_in_charge: string;
  readonly email: string;
  readonly bcc: readonly string[];
  readonly reply_to: string | null;
  readonly signature: string;
}

/**
 * The source of all mails of a run.
 * Stored with the run, so that later edits of the template do not change accepted mails.
 */
export interface RunMail {
  readonly subject: string;
  readonly text_body: string;
  readonly html_body: string;
  readonly sender: RunSender;
  readonly account: { readonly name: string; readonly company: string };
  /** One line each, such as `・11月24日(火) 9:00〜18:00`. Empty: no dates are offered. */
  readonly candidate_dates: readonly string[];
  /** The sender's legal profile. */
  readonly legal: RunLegal;
  /**
   * The dynamic template from which SendGrid renders the bodies. `text_body` and `html_body` then only show people the
   * values that it inserts.
   */
  readonly sendgrid_template_id?: string | null;
  /** Abbreviated legal forms of company names are written out. Absent: a run from before that was done. */
  readonly full_forms?: true;
}

export interface MailTarget {
  readonly company_name: string;
  readonly person_in_charge: string;
  /** `delivery.mail_key`, for the opt-out link; absent: the link of an example. */
  readonly mail_key?: string;
  /** The person whom the mail reaches; null or absent: the company's own address. */
  readonly person_id?: number | null;
  /** null or absent: its fields are blank. */
  readonly merge_values?: MergeValues | null;
  /** The mail that this one follows up in the same thread; absent: a first mail. */
  readonly follows?: FollowedMail | undefined;
}

export interface FollowedMail {
  /** Includes the angle brackets. */
  readonly messageId: string;
  /** The run with which the mail was sent. */
  readonly mail: RunMail;
  readonly target: MailTarget;
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Thrown when a template cannot be rendered as its author wrote it. `message` is Japanese. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
}

/** The merge fields that all mails of a run share. */
const sharedFields = perRun((mail: RunMail) => {
  const { legal, sender } = mail;
  return {
    candidate_dates: mail.candidate_dates.join('\n'),
    candidate_date_lines: mail.candidate_dates,
    sender: { person_in_charge: sender.person_in_charge, email: sender.email, signature: sender.signature },
    account: mail.account,
    legal: {
      official_name: legal.official_name,
      postal_address: postalLine(legal),
      contact: contactLine(legal),
    },
  };
});

/** Returns the company name as the mails of a run have it. */
export const nameInMail = ({ full_forms }: RunMail, companyName: string): string =>
  full_forms === true ? withFullForms(companyName) : companyName;

/** Returns one mail's merge field values by field name. HTML bodies have their own footer. */
export function mailFields(mail: RunMail, target: MailTarget) {
  const place = refusalPlaceOf(mail, target.mail_key);
  return {
    ...sharedFields(mail),
    company_name: nameInMail(mail, target.company_name),
    person_in_charge: addressee(target.person_in_charge),
    ...mergeFieldsOf(mail, target.merge_values),
    legal_footer: mailFooter(mail.legal, target).toString(),
    unsubscribe_url: place ? refusalLink(place) : '',
  };
}

export type MailFields = ReturnType<typeof mailFields>;

/**
 * Parses and checks a run's templates once, and returns the renderer of its mails.
 * @param ownKeys that the templates may name; absent: any, as in an accepted run
 * @throws TemplateFault for a template that fails the check. The renderer throws it for an unusable subject
 */
export function mailRenderer(mail: RunMail, ownKeys?: OwnKeys): (target: MailTarget) => RenderedMail {
  const subjectOf = subjectRenderer(mail, ownKeys);
  const textOf = rendererOf('text_body', mail.text_body, ownKeys);
  const htmlOf = rendererOf('html_body', mail.html_body, ownKeys);
  return (target) => {
    const fields = mailFields(mail, target);
    const legal_footer = mailFooter(mail.legal, target);
    return {
      subject: subjectOf(fields, target.follows),
      text: textOf(fields),
      html: htmlOf({ ...fields, legal_footer }),
    };
  };
}

/**
 * Parses and checks only the subject, and returns its renderer. A follow-up's subject answers the followed mail.
 * The renderer checks its result too: a company name not set by the importer may contain a line break.
 * @throws TemplateFault, as mailRenderer does
 */
export function subjectRenderer(
  mail: RunMail,
  ownKeys?: OwnKeys,
): (fields: MailFields, follows?: FollowedMail) => string {
  const subjectOf = rendererOf('subject', mail.subject, ownKeys);
  return (fields, follows) => {
    const subject = follows ? answeringSubject(renderSubject(follows.mail, follows.target)) : subjectOf(fields).trim();
    if (subject === '') throw new TemplateFault('件名が空です。テンプレートの件名を確認してください。');
    if (isUnsafeHeader(subject)) throw new TemplateFault('件名に改行が含まれています。');
    return subject;
  };
}

const rendererOfRun = perRun((mail: RunMail) => mailRenderer(mail));
const subjectOfRun = perRun((mail: RunMail) => subjectRenderer(mail));

/** Returns the subject of a run's mail that follows no other. @throws TemplateFault */
export const renderSubject = (mail: RunMail, target: MailTarget): string =>
  subjectOfRun(mail)(mailFields(mail, target));

/** Renders one mail. @throws TemplateFault */
export const renderMail = (mail: RunMail, target: MailTarget): RenderedMail => rendererOfRun(mail)(target);

/** The parts of one mail that its run does not have. */
interface Envelope {
  readonly to: string;
  readonly messageId: string;
  readonly follows?: string | undefined;
  readonly namesItself?: boolean;
  readonly date: Date;
  readonly mailKey: string;
  readonly refusalAddress?: string | null;
}

/** Composes a rendered mail as it is transferred, without a signature. */
export const composeRunMail = (mail: RunMail, rendered: RenderedMail, { mailKey, ...own }: Envelope): Buffer =>
  composeMessage({
    ...rendered,
    ...own,
    from: { name: mail.sender.person_in_charge, address: mail.sender.email },
    replyTo: mail.sender.reply_to,
    refusal: refusalPlaceOf(mail, mailKey),
  });

const PART_NAMES = { subject: '件名', text_body: '本文（テキスト）', html_body: '本文（HTML）' };

function rendererOf(part: TemplatePart, source: string, ownKeys?: OwnKeys): (fields: object) => string {
  const template = readTemplate(part, source, { withFooter: (body) => withFooterField(part, body), ownKeys });
  if (template.ok) return template.render;
  throw new TemplateFault(`テンプレートの${PART_NAMES[part]}を確認してください（${template.fault}）。`);
}
