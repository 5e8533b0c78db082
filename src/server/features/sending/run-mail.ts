import { Liquid } from 'liquidjs';
import { addressee } from '#domain/addressee.ts';
import { isUnsafeHeader } from '../../platform/mail/compose.ts';
import { readLiquidFault } from './liquid-fault.ts';

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

/** Names only: no files, no own properties of the program, bounded work. An unknown name is a fault, never a blank in a mail. */
export const LIQUID_LIMITS = {
  strictVariables: true,
  ownPropertyOnly: true,
  parseLimit: 1_000_000,
  renderLimit: 1000,
  memoryLimit: 10_000_000,
};
const plain = new Liquid({ ...LIQUID_LIMITS, templates: {} });
const html = new Liquid({ ...LIQUID_LIMITS, templates: {}, outputEscape: 'escape' });

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

/** Reads the templates of a run once for all its mails: that takes longer than to fill one in. @throws TemplateFault, then and later */
export function mailRenderer(mail: RunMail): (target: MailTarget) => RenderedMail {
  const subjectOf = subjectRenderer(mail);
  const textOf = templateOf(plain, '本文（テキスト）', mail.text_body);
  const htmlOf = templateOf(html, '本文（HTML）', mail.html_body);
  return (target) => {
    const fields = mailFields(mail, target);
    return { subject: subjectOf(fields), text: textOf(fields), html: htmlOf(fields) };
  };
}

/** The same for the subject alone. @throws TemplateFault, then and later */
export function subjectRenderer(mail: RunMail): (fields: MailFields) => string {
  const subjectOf = templateOf(plain, '件名', mail.subject);
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

function templateOf(engine: Liquid, part: string, template: string): (fields: object) => string {
  const parsed = orFault(part, () => engine.parse(template));
  return (fields) => orFault(part, () => engine.renderSync(parsed, fields));
}

function orFault<Result>(part: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { line, reason } = readLiquidFault(error);
    const place = line === null ? '' : `${line}行目：`;
    throw new TemplateFault(`テンプレートの${part}を確認してください（${place}${reason}）。`);
  }
}
