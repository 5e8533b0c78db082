import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateMailTemplate } from '#contract/mail-templates.ts';
import { formatMinute, formatSecond } from '#domain/time/tokyo-time.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import {
  contentOf,
  type LoadedTemplate,
  loadTemplate,
  loadTemplateState,
  type OwnSubject,
  type TemplateContent,
  versionOf,
} from './template.queries.ts';
import { faultsProblem, partsOf, templateFaults } from './template-faults.ts';
import { loadVersion } from './template-versions.queries.ts';

type Body = z.output<(typeof updateMailTemplate)['body']>;
type Answer = CallAnswer<typeof updateMailTemplate>;

/**
 * Saves a template that passes the check, unless it has changed since `version`.
 * A repeated save of the same content succeeds without a change.
 * @returns the new version; 400 with the faults of the template; 404; or 409 for a change since `version`
 */
export async function updateTemplate(
  account: MemberDb,
  id: number,
  { version, update_info: info }: Body,
): Promise<Answer | Problem> {
  // The 404 comes before the check, so that a template fault does not reveal a template of another account.
  if (!(await account.snapshot((tx) => loadTemplate(tx, account.id, id)))) return notFound();
  const subjects = info.senders.map((sender) => ({ id: sender.id, own_subject: sender.subject?.trim() ?? null }));
  const bodies = { text_body: withLf(info.text_body), html_body: withLf(info.html_body) };
  // A subject that is left out was checked when it was saved.
  const { subject = 'unchanged' } = info;
  const faults = templateFaults(partsOf({ ...bodies, subject }, subjects));
  if (faults.length > 0) return faultsProblem(faults.map((fault) => ({ ...fault, path: `update_info.${fault.path}` })));
  return saveContent(account, id, { version }, (stored) => {
    if (subjects.some((sender) => stored.senders.every((known) => known.id !== sender.id))) return notFound();
    return {
      name: info.name.trim(),
      subject: info.subject?.trim() ?? stored.subject,
      ...bodies,
      editor: info.editor ?? stored.editor,
      text_follows: info.text_follows === undefined ? stored.text_follows : info.text_follows === 1,
      senders: stored.senders.map(({ id: senderId, own_subject }) => ({
        id: senderId,
        own_subject: (subjects.find((given) => given.id === senderId) ?? { own_subject }).own_subject,
      })),
    };
  });
}

/** Mails are made from LF line ends. */
const withLf = (text: string): string => text.replace(/\r\n?/g, '\n');

interface Wanted extends TemplateContent {
  readonly senders: readonly OwnSubject[];
}

interface Save {
  /** The version that the client has read. */
  readonly version: string;
  /** The number of the version whose content is saved again. */
  readonly restored?: number;
}

/**
 * Replaces the content of a template, unless it has changed since `version`.
 * @param wantedOf makes the new content of the stored one, or a refusal
 */
const saveContent = (
  account: MemberDb,
  id: number,
  { version, restored }: Save,
  wantedOf: (stored: LoadedTemplate, tx: Tx) => Wanted | Problem | Promise<Wanted | Problem>,
): Promise<Answer | Problem> =>
  account.transaction(async (tx) => {
    const stored = await loadTemplate(tx, account.id, id, { lock: true });
    if (!stored) return notFound();
    const wanted = await wantedOf(stored, tx);
    if (wanted instanceof Problem) return wanted;
    const next = versionOf(wanted);
    const before = versionOf(stored);
    // A client that lost the first answer repeats its request: the stored content is already the wanted one.
    const isSame = next === before;
    if (!isSame && version !== before) return templateChanged(tx, account.id, stored);
    const updatedAt = isSame ? stored.updated_at : await write(tx, account, stored, wanted);
    if (!isSame) {
      const detail = { template_id: id, ...(restored !== undefined && { restored_version: restored }) };
      await recordAudit(tx, { accountId: account.id, memberId: account.memberId, kind: 'template_changed', detail });
    }
    const { number, reservations } = await loadTemplateState(tx, account.id, id);
    const updated_at = formatSecond(updatedAt.getTime());
    return { status: 'updated', id, version: next, number, updated_at, reservations };
  });

/** Names who has changed the template or one of its senders last. */
async function templateChanged(tx: Tx, accountId: number, { id, updated_at }: LoadedTemplate): Promise<Problem> {
  const { updated_by } = await loadTemplateState(tx, accountId, id);
  const who = updated_by === null ? 'ほかの人' : `${updated_by}さん`;
  return new Problem(
    409,
    'template_changed',
    `このテンプレートは、${who}が${formatMinute(updated_at.getTime())}に変更しました。最新の内容を確認してから、保存し直してください。`,
  );
}

async function write(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  stored: LoadedTemplate,
  { senders, ...content }: Wanted,
): Promise<Date> {
  for (const { id, own_subject } of senders) {
    if (stored.senders.some((known) => known.id === id && known.own_subject === own_subject)) continue;
    await tx
      .updateTable('sender')
      .set(({ fn }) => ({ subject: own_subject, member_id: memberId, updated_at: fn<Date>('now') }))
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
  }
  const { updated_at } = await tx
    .updateTable('mail_template')
    .set(({ fn }) => ({ ...contentOf(content), member_id: memberId, updated_at: fn<Date>('now') }))
    .where('account_id', '=', accountId)
    .where('id', '=', stored.id)
    .returning('updated_at')
    .executeTakeFirstOrThrow();
  return updated_at;
}

/**
 * Saves the content of a version as the newest one. The senders' own subjects stay.
 * @returns as a save; 404 for an unknown template or version
 */
export const restoreVersion = (account: MemberDb, id: number, number: number, version: string) =>
  saveContent(account, id, { version, restored: number }, async (stored, tx) => {
    const chosen = await loadVersion(tx, account.id, id, number);
    if (!chosen) return notFound();
    const faults = templateFaults(partsOf(chosen));
    if (faults.length > 0) return faultsProblem(faults);
    return { ...contentOf(chosen), senders: stored.senders };
  });
