import { addressee } from '#domain/addressee.ts';
import { isUnsafeHeader } from '../../platform/mail/compose.ts';
import { readTemplate } from './template.ts';
import type { TemplatePart } from './template-walk.ts';

/** What every mail of a run is made from: kept with the run, so that a later edit of a template changes no mail asked for. */
export interface RunMail {
  readonly subject: string;
  readonly text_body: string;
  readonly html_body: string;
  readonly sender: { readonly person_in_charge: string; readonly email: string; readonly bcc: readonly string[] };
  readonly account: { readonly name: string; readonly company: string };
  /** One line each, `・11月24日(火) 9:00〜18:00`; empty: none offered. */
  readonly candidate_dates: readonly string[];
  /** The run goes through SendGrid, which makes the bodies from this template; ours then tell people what it is filled with. */
  readonly sendgrid_template_id?: string | null;
}

export interface MailTarget {
  readonly company_name: string;
  readonly person_in_charge: string;
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A template as its author wrote it cannot be rendered; `message` is Japanese. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
}

/** The merge fields of a template, by name. */
export const mailFields = (mail: RunMail, target: MailTarget) => ({
  company_name: target.company_name,
  person_in_charge: addressee(target.person_in_charge),
  candidate_dates: mail.candidate_dates.join('\n'),
  candidate_date_lines: mail.candidate_dates,
  sender: mail.sender,
  account: mail.account,
});

export type MailFields = ReturnType<typeof mailFields>;

/** Reads and checks the templates of a run once for all its mails. @throws TemplateFault, then and, for a subject, later */
export function mailRenderer(mail: RunMail): (target: MailTarget) => RenderedMail {
  const subjectOf = subjectRenderer(mail);
  const textOf = rendererOf('text_body', mail.text_body);
  const htmlOf = rendererOf('html_body', mail.html_body);
  return (target) => {
    const fields = mailFields(mail, target);
    return { subject: subjectOf(fields), text: textOf(fields), html: htmlOf(fields) };
  };
}

/** The same for the subject alone. Values of a company that was taken in by other means could still break the header. */
export function subjectRenderer(mail: RunMail): (fields: MailFields) => string {
  const subjectOf = rendererOf('subject', mail.subject);
  return (fields) => {
    const subject = subjectOf(fields).trim();
    if (subject === '') throw new TemplateFault('件名が空です。テンプレートの件名を確認してください。');
    if (isUnsafeHeader(subject)) throw new TemplateFault('件名に改行が含まれています。');
    return subject;
  };
}

const renderers = new WeakMap<RunMail, ReturnType<typeof mailRenderer>>();

/** Claims of a batch share the mail of their run, whose templates are then read once. @throws TemplateFault */
export function renderMail(mail: RunMail, target: MailTarget): RenderedMail {
  const render = renderers.get(mail) ?? mailRenderer(mail);
  renderers.set(mail, render);
  return render(target);
}

const PART_NAMES = { subject: '件名', text_body: '本文（テキスト）', html_body: '本文（HTML）' };

function rendererOf(part: TemplatePart, source: string): (fields: object) => string {
  const template = readTemplate(part, source);
  if (template.ok) return template.render;
  throw new TemplateFault(`テンプレートの${PART_NAMES[part]}を確認してください（${template.fault}）。`);
}
