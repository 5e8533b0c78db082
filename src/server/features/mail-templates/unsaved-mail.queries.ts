import type { CallAnswer } from '#contract/call.ts';
import type { previewMailTemplate, UnsavedTemplate } from '#contract/templates/mail-templates.ts';
import { personAddressee } from '#domain/mail/addressee.ts';
import { nextCandidate, renderCandidates } from '#domain/sending/candidate-dates.ts';
import type { AccountDb, MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { readMaxMailBytes } from '../delivery/quota/max-mail-bytes.ts';
import { mailWarnings, sizeWarnings } from '../mail-content/mail-warnings.ts';
import { exampleValues, type MergeKeys, mergeKeysOf, NO_PERSON } from '../mail-content/merge-keys.ts';
import { keysInUse, mergeValuesOf, ownKeysOf } from '../mail-content/merge-values.queries.ts';
import type { MailTarget, RunMail } from '../mail-content/run-mail.ts';
import { type Mailbox, readMailboxOfSender } from '../mailboxes/mailbox.queries.ts';
import { type OwnField, readOwnFields } from '../own-fields/own-fields.queries.ts';
import { type LegalState, loadLegalState } from '../runs/order.queries.ts';
import { tryRender } from '../runs/prepare-run.ts';
import { loadTemplate } from './template.queries.ts';
import { faultsProblem, templateFaults } from './template-faults.ts';

/** A mail of an unsaved template, and the member who views it. */
export interface UnsavedMail {
  readonly mail: RunMail;
  readonly target: MailTarget;
  readonly memberEmail: string;
  readonly sendgrid_template_id: string | null;
  /** Keys of the own fields in use. */
  readonly ownKeys: readonly string[];
  readonly isFooterConfirmed: boolean;
  /** The legal profile of the group that the mail shows. */
  readonly legalState: LegalState;
  /** By which its sender's mails leave; undefined: the mail server of the environment. */
  readonly mailbox: Mailbox | undefined;
}

/**
 * Reads the source of an unsaved template's mail: its sender, and a company of the list or the example company.
 * @param now epoch milliseconds; the example dates start after it. The mail shows the profile of the sender's group
 * @returns 404: the account has no such template or company, or the template no such sender; 400: its faults
 */
export async function loadUnsavedMail(
  tx: Tx,
  { id: accountId, memberId }: AccountDb,
  id: number,
  body: UnsavedTemplate,
  { now, publicUrl }: { readonly now: number; readonly publicUrl: string },
): Promise<UnsavedMail | Problem> {
  const template = await loadTemplate(tx, accountId, id);
  const owner = await tx
    .selectFrom('member')
    .innerJoin('account', 'account.id', 'member.account_id')
    .select(['member.name', 'account.company', 'member.email'])
    .where('member.account_id', '=', accountId)
    .where('member.id', '=', memberId)
    .executeTakeFirst();
  const company = await companyOf(tx, accountId, body);
  if (!template || !owner || !company) return notFound();
  const fallback = {
    person_in_charge: owner.name,
    email: owner.email,
    reply_to: null,
    signature: '',
    mailbox_id: null,
  };
  const chosen = template.senders.find((known) => known.id === body.sender_id);
  const sender = body.sender_id === null ? fallback : chosen;
  if (!sender) return notFound();
  const senderGroupId = chosen?.sender_group_id ?? (await firstGroup(tx, accountId));
  const { subject, text_body, html_body } = body;
  const fields = await readOwnFields(tx, accountId);
  const ownKeys = ownKeysOf(fields);
  const faults = templateFaults({ subject, text_body, html_body }, ownKeys);
  if (faults.length > 0) return faultsProblem(faults);
  const { person_in_charge, email, reply_to, signature } = sender;
  const legalState = await loadLegalState(tx, { accountId, senderGroupId }, publicUrl, sender);
  const mail = {
    subject,
    text_body,
    html_body,
    sender: { person_in_charge, email, reply_to, signature, bcc: [] },
    account: { name: owner.name, company: owner.company },
    candidate_dates: body.has_candidate_dates === 1 ? exampleDates(now) : [],
    legal: legalState.legal,
    full_forms: true as const,
  };
  const { sendgrid_template_id, sendgrid_footer_confirmed_at } = template;
  const isFooterConfirmed = sendgrid_footer_confirmed_at !== null;
  const mailbox = chosen && (await readMailboxOfSender(tx, accountId, chosen.id));
  // A template of SendGrid may name any field.
  const keys = sendgrid_template_id === null ? mergeKeysOf(mail) : { custom: keysInUse(ownKeys), person: true };
  const target = company.prospect_id
    ? await withValues(tx, accountId, company, keys)
    : withExampleValues(company, keys, fields);
  return {
    mail,
    target,
    memberEmail: owner.email,
    sendgrid_template_id,
    ownKeys: keysInUse(ownKeys),
    isFooterConfirmed,
    legalState,
    mailbox,
  };
}

/** The group whose profile a template without a sender shows. @returns 0 if the account has no group */
async function firstGroup(tx: Tx, accountId: number): Promise<number> {
  const group = await tx
    .selectFrom('sender_group')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('active', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return group?.id ?? 0;
}

/** A company of the list, or the example company. */
type Company = MailTarget & { readonly prospect_id: number | null };

async function companyOf(
  tx: Tx,
  accountId: number,
  { prospect_id, company_name = '', person_in_charge = '' }: UnsavedTemplate,
): Promise<Company | undefined> {
  if (prospect_id === undefined) return { prospect_id: null, company_name, person_in_charge };
  const prospect = await tx
    .selectFrom('prospect')
    .select(['company_name', 'ceo', 'person_id', 'person_email'])
    .where('account_id', '=', accountId)
    .where('id', '=', prospect_id)
    .executeTakeFirst();
  if (!prospect) return undefined;
  const person_id = prospect.person_email === null ? null : prospect.person_id;
  return { prospect_id, company_name: prospect.company_name, person_in_charge: prospect.ceo ?? '', person_id };
}

/** Adds a company's present values. Where its 主担当 has an address, the mail greets and reaches that person. */
async function withValues(tx: Tx, accountId: number, company: Company, keys: MergeKeys): Promise<MailTarget> {
  const { prospect_id, person_id = null, ...target } = company;
  const asked = { ...keys, person: keys.person || person_id !== null };
  const values = await mergeValuesOf(tx, accountId, [{ prospectId: prospect_id ?? 0, personId: person_id }], asked);
  const merge_values = values.get(prospect_id ?? 0) ?? null;
  const person_in_charge =
    person_id === null ? target.person_in_charge : personAddressee(merge_values?.person ?? NO_PERSON);
  return { ...target, person_id, person_in_charge, merge_values };
}

/** Adds example values to the example company if its person is known; otherwise nothing is known of it. */
function withExampleValues(
  { company_name, person_in_charge }: MailTarget,
  keys: MergeKeys,
  fields: readonly OwnField[],
): MailTarget {
  if (person_in_charge.trim() === '') return { company_name, person_in_charge };
  const known = new Map(fields.map((field) => [field.key, field]));
  const merge_values = exampleValues(keys, person_in_charge, (key) => exampleOf(known.get(key)));
  return { company_name, person_in_charge, merge_values };
}

/** Returns a choice's first option, else the field's name in brackets: in a sentence it is seen to be no value. */
function exampleOf(field: OwnField | undefined): string {
  const option = field?.options.find(({ archived }) => !archived);
  return option?.label ?? `（${field?.label ?? ''}）`;
}

/** Returns two candidate dates that could be offered now, as mail lines. @param now epoch milliseconds */
function exampleDates(now: number): string[] {
  const first = nextCandidate([], now);
  return renderCandidates([first, nextCandidate([first], now)]).split('\n');
}

/**
 * Renders an unsaved template with the code that sends.
 * @returns the mail with its warnings; 400 with the template's faults; or 404
 */
export async function previewTemplate(
  account: MemberDb,
  id: number,
  body: UnsavedTemplate,
  settings: { readonly now: number; readonly publicUrl: string },
): Promise<CallAnswer<typeof previewMailTemplate> | Problem> {
  const found = await account.snapshot(async (tx) => {
    const unsaved = await loadUnsavedMail(tx, account, id, body, settings);
    if (unsaved instanceof Problem) return unsaved;
    const box = unsaved.mailbox ? { accountId: account.id, id: unsaved.mailbox.id } : null;
    return { ...unsaved, maxBytes: await readMaxMailBytes(tx, box) };
  });
  if (found instanceof Problem) return found;
  const { mail, target, maxBytes } = found;
  const rendered = tryRender(mail, target);
  if (rendered instanceof Problem) return rendered;
  return {
    ...rendered,
    from: { name: mail.sender.person_in_charge, address: mail.sender.email },
    warnings: [
      ...mailWarnings(mail, target, rendered, settings.now),
      ...sizeWarnings(mail, rendered, mail.sender.email, maxBytes),
    ],
  };
}
