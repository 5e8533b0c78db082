import type { CallAnswer } from '#contract/call.ts';
import type { previewMailTemplate, UnsavedTemplate } from '#contract/mail-templates.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { Problem } from '../../platform/problem.ts';
import { readMaxMailBytes } from '../delivery/marks/max-mail-bytes.ts';
import { mailWarnings, sizeWarnings } from '../mail-content/mail-warnings.ts';
import { tryRender } from '../runs/prepare-run.ts';
import { loadUnsavedMail } from './unsaved-mail.queries.ts';

/**
 * Renders a template that is not saved, with the code that sends.
 * @returns the mail with its warnings; 400 with the faults of the template; or 404
 */
export async function previewTemplate(
  account: MemberDb,
  id: number,
  body: UnsavedTemplate,
  settings: { readonly now: number; readonly publicUrl: string },
): Promise<CallAnswer<typeof previewMailTemplate> | Problem> {
  const { unsaved, maxBytes } = await account.snapshot(async (tx) => ({
    unsaved: await loadUnsavedMail(tx, account, id, body, settings),
    maxBytes: await readMaxMailBytes(tx),
  }));
  if (unsaved instanceof Problem) return unsaved;
  const { mail, target } = unsaved;
  const rendered = tryRender(mail, target);
  if (rendered instanceof Problem) return rendered;
  return {
    ...rendered,
    from: { name: mail.sender.person_in_charge, address: mail.sender.email },
    warnings: [...mailWarnings(mail, target, rendered), ...sizeWarnings(mail, rendered, mail.sender.email, maxBytes)],
  };
}
