import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateMailTemplate } from '#contract/mail-template.ts';
import { formatSecond } from '#domain/tokyo-time.ts';
import type { MemberDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { loadTemplate, type TemplateContent, versionOf } from './template.queries.ts';
import { partsOf, templateFaults } from './template-faults.ts';

type Body = z.output<(typeof updateMailTemplate)['body']>;

/**
 * Saves a template that passes the check, unless it has changed since `version`.
 * A repeated save of the same content succeeds without a change.
 * @returns the new version; 400 with the faults of the template; 404; or 409 for a change since `version`
 */
export async function updateTemplate(
  account: MemberDb,
  id: number,
  { version, update_info }: Body,
): Promise<CallAnswer<typeof updateMailTemplate> | Refusal> {
  // The 404 comes before the check, so that a template fault does not reveal a template of another account.
  if (!(await account.snapshot((tx) => loadTemplate(tx, account.id, id)))) return notFound();
  const wanted = normalize(update_info);
  const faults = templateFaults(partsOf(wanted));
  if (faults.length > 0) return refuseFaults(faults.map((fault) => ({ ...fault, path: `update_info.${fault.path}` })));
  return account.transaction(async (tx) => {
    const stored = await loadTemplate(tx, account.id, id, { lock: true });
    if (!stored) return notFound();
    if (wanted.senders.some((sender) => stored.senders.every((known) => known.id !== sender.id))) return notFound();
    const content = {
      ...wanted,
      senders: stored.senders.map((sender) => ({ ...sender, ...subjectOf(wanted, sender) })),
    };
    const next = versionOf(content);
    const before = versionOf(stored);
    // A client that lost the first answer repeats its request: the stored content is already the wanted one.
    if (next === before) return answer(id, before, stored.updated_at);
    if (version !== before) return TEMPLATE_CHANGED;
    return answer(id, next, await write(tx, account, id, content));
  });
}

const TEMPLATE_CHANGED = new Refusal(
  409,
  'template_changed',
  'このテンプレートは、ほかの画面で変更されています。最新の内容を確認してから、保存し直してください。',
);

/** Turns template faults into one 400 refusal, with a detail for each fault. */
export function refuseFaults(details: { path: string; message: string }[]): Refusal {
  const message = 'このままではメールを作れません。表示された箇所を直してください。';
  return new Refusal(400, 'invalid_template', message, undefined, details);
}

/** Normalizes the content as mails need it: LF line ends, and no blanks around single lines. */
function normalize({ name, text_body, html_body, senders }: TemplateContent): TemplateContent {
  const lines = (text: string) => text.replace(/\r\n?/g, '\n');
  return {
    name: name.trim(),
    text_body: lines(text_body),
    html_body: lines(html_body),
    senders: senders.map(({ id, subject }) => ({ id, subject: subject.trim() })),
  };
}

const subjectOf = (wanted: TemplateContent, { id }: { id: number }) =>
  wanted.senders.find((sender) => sender.id === id);

const answer = (id: number, version: string, updatedAt: Date) => ({
  status: 'updated' as const,
  id,
  version,
  updated_at: formatSecond(updatedAt.getTime()),
});

async function write(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  id: number,
  content: TemplateContent,
): Promise<Date> {
  const { name, text_body, html_body, senders } = content;
  for (const { id: senderId, subject } of senders) {
    await tx
      .updateTable('sender')
      .set({ subject })
      .where('account_id', '=', accountId)
      .where('id', '=', senderId)
      .execute();
  }
  const { updated_at } = await tx
    .updateTable('mail_template')
    .set(({ fn }) => ({ name, text_body, html_body, member_id: memberId, updated_at: fn<Date>('now') }))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('updated_at')
    .executeTakeFirstOrThrow();
  await recordAudit(tx, { accountId, memberId, kind: 'template_changed', detail: { template_id: id } });
  return updated_at;
}
