import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { previewMailTemplate } from '#contract/mail-template.ts';
import type { MemberDb } from '../../platform/account-db.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { mailWarnings } from '../mail-content/mail-warnings.ts';
import type { RunMail } from '../mail-content/run-mail.ts';
import { tryRender } from '../runs/prepare-run.ts';
import { exampleDates } from './example-mail.ts';
import { loadTemplate } from './template.queries.ts';
import { templateFaults } from './template-faults.ts';
import { refuseFaults } from './update-template.command.ts';

type Body = z.output<(typeof previewMailTemplate)['body']>;

/**
 * Renders a template that is not saved, with the code that sends, for the example company of the request.
 * @param now epoch milliseconds; the example dates start after it
 * @returns the mail with its warnings, or the faults of the template. 404: the account has no such template, or the
 * template has no such sender
 */
export async function previewTemplate(
  account: MemberDb,
  id: number,
  body: Body,
  now: number,
): Promise<CallAnswer<typeof previewMailTemplate> | Refusal> {
  const people = await account.snapshot(async (tx) => {
    const template = await loadTemplate(tx, account.id, id);
    const owner = await tx
      .selectFrom('member')
      .innerJoin('account', 'account.id', 'member.account_id')
      .select(['member.name', 'account.company', 'member.email'])
      .where('member.account_id', '=', account.id)
      .where('member.id', '=', account.memberId)
      .executeTakeFirst();
    if (!template || !owner) return null;
    const fallback = { person_in_charge: owner.name, email: owner.email, signature: '' };
    const sender = body.sender_id === null ? fallback : template.senders.find((known) => known.id === body.sender_id);
    return sender ? { sender, owner } : null;
  });
  if (!people) return notFound();
  const { subject, text_body, html_body, company_name, person_in_charge } = body;
  const faults = templateFaults({ subject, text_body, html_body });
  if (faults.length > 0) return refuseFaults(faults);

  const { sender, owner } = people;
  const mail: RunMail = {
    subject,
    text_body,
    html_body,
    sender: { ...sender, bcc: [] },
    account: { name: owner.name, company: owner.company },
    candidate_dates: body.has_candidate_dates === 1 ? exampleDates(now) : [],
  };
  const target = { company_name, person_in_charge };
  const rendered = tryRender(mail, target);
  if (rendered instanceof Refusal) return rendered;
  return {
    ...rendered,
    from: { name: sender.person_in_charge, address: sender.email },
    warnings: mailWarnings(mail, target, rendered),
  };
}
