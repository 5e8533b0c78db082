import { sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { confirmSendGridFooter } from '#contract/mail-templates.ts';
import type { moveMailTemplate } from '#contract/mail-templates-list.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type LoadedTemplate, loadTemplate, loadTemplateState } from './template.queries.ts';
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
 * Archives a template or brings it back. One that is in that state already stays as it is.
 * The lock waits for senders that are being given the template, and they wait for it.
 * @returns 404, or 409 while an active sender or a reservation uses the template
 */
export const setTemplateArchived = (
  { id: accountId, memberId, transaction }: MemberDb,
  id: number,
  archived: boolean,
): Promise<Answer | Problem> =>
  transaction(async (tx) => {
    const stored = await loadTemplate(tx, accountId, id, { lock: true });
    if (!stored) return notFound();
    if ((stored.archived_at !== null) === archived) return { status: 'updated', id };
    if (archived) {
      const { reservations } = await loadTemplateState(tx, accountId, id);
      const problem = usedTemplate(stored, reservations);
      if (problem) return problem;
    }
    await tx
      .updateTable('mail_template')
      .set({ archived_at: archived ? sql<Date>`now()` : null })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
    const kind = archived ? 'template_archived' : 'template_restored';
    await recordAudit(tx, { accountId, memberId, kind, detail: { template_id: id } });
    return { status: 'updated', id };
  });

/** The most senders that a message names. */
const NAMED_SENDERS = 3;

function namesOf(senders: LoadedTemplate['senders']): string {
  const names = senders.slice(0, NAMED_SENDERS).map((sender) => `${sender.person_in_charge}（${sender.group}）`);
  const more = senders.length - names.length;
  return names.join('、') + (more > 0 ? `ほか${more}人` : '');
}

function usedTemplate({ senders }: LoadedTemplate, reservations: number): Problem | null {
  const active = senders.filter((sender) => sender.active);
  const users = [
    ...(active.length > 0 ? [`送信者：${namesOf(active)}`] : []),
    ...(reservations > 0 ? [`予約：${reservations}件`] : []),
  ];
  if (users.length === 0) return null;
  const message = `使われているため、アーカイブできません。${users.join('、')}。先に、送信者のテンプレートを変えてください。`;
  return new Problem(409, 'template_in_use', message);
}

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
