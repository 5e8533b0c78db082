import { sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { confirmSendGridFooter } from '#contract/mail-templates.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { loadTemplate } from './template.queries.ts';

/** Records that SendGrid's template shows the footer, or takes it back. A repeated change writes nothing. */
export const confirmFooter = (
  { id: accountId, memberId, transaction }: MemberDb,
  id: number,
  confirmed: boolean,
): Promise<CallAnswer<typeof confirmSendGridFooter> | Problem> =>
  transaction(async (tx) => {
    const template = await loadTemplate(tx, accountId, id, { lock: true });
    if (!template) return notFound();
    if (confirmed !== (template.sendgrid_footer_confirmed_at !== null)) {
      await tx
        .updateTable('mail_template')
        .set({ sendgrid_footer_confirmed_at: confirmed ? sql<Date>`now()` : null })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .execute();
      const detail = { template_id: id, confirmed };
      await recordAudit(tx, { accountId, memberId, kind: 'sendgrid_footer_confirmed', detail });
    }
    return { status: 'updated', id };
  });
