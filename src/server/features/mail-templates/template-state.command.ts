import { sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { confirmSendGridFooter } from '#contract/templates/mail-templates.ts';
import type { archiveMailTemplate, moveMailTemplate } from '#contract/templates/mail-templates-list.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { lockGroups } from '../../platform/database/lock-account.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { dropPairsOf } from '../senders/pairs.command.ts';
import { loadTemplate, loadTemplateState } from './template.queries.ts';
import { hasFolder } from './template-list.queries.ts';

type Answer = CallAnswer<typeof moveMailTemplate>;

/** Moves a template to a folder; null: out of all folders. @returns 404 for an unknown template or folder */
export const moveTemplate = (
  { id: accountId, memberId, transaction }: MemberDb,
  id: number,
  folder_id: number | null,
): Promise<Answer | Problem> =>
  transaction(async (tx) => {
    const stored = await loadTemplate(tx, accountId, id, { lock: true });
    if (!stored || (folder_id !== null && !(await hasFolder(tx, accountId, folder_id)))) return notFound();
    if (stored.folder_id === folder_id) return { status: 'updated', id };
    await tx
      .updateTable('mail_template')
      .set({ folder_id })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
    await recordAudit(tx, { accountId, memberId, kind: 'template_moved', detail: { template_id: id, folder_id } });
    return { status: 'updated', id };
  });

/**
 * Archives a template with its active senders, or restores only the template. A repeated change writes nothing. Its
 * locks and those of reservations and of new senders of the template wait for each other.
 * @returns 404, or 409 while a reservation uses the template
 */
export const setTemplateArchived = (
  { id: accountId, memberId, transaction }: MemberDb,
  id: number,
  archived: boolean,
): Promise<CallAnswer<typeof archiveMailTemplate> | Problem> =>
  transaction(async (tx) => {
    if (archived) await lockGroups(tx, accountId);
    const stored = await loadTemplate(tx, accountId, id, { lock: true });
    if (!stored) return notFound();
    if ((stored.archived_at !== null) === archived) return { status: 'updated', id, deactivated: 0 };
    const { reservations } = await loadTemplateState(tx, accountId, id);
    if (archived && reservations > 0) return usedTemplate(reservations);
    const deactivated = archived ? await dropPairsOf(tx, { id: accountId, memberId }, id) : 0;
    if (deactivated instanceof Problem) return deactivated;
    await tx
      .updateTable('mail_template')
      .set({ archived_at: archived ? sql<Date>`now()` : null })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
    const kind = archived ? 'template_archived' : 'template_restored';
    await recordAudit(tx, { accountId, memberId, kind, detail: { template_id: id, ...(archived && { deactivated }) } });
    return { status: 'updated', id, deactivated };
  });

function usedTemplate(reservations: number): Problem {
  const message = `予約が${reservations}件あるため、アーカイブできません。先に予約を削除するか、予約の変更でほかのテンプレートを選んでください。`;
  return new Problem('template_in_use', message);
}

/** Records or withdraws the confirmation of SendGrid's template footer. A repeated change writes nothing. */
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
