import { createHash } from 'node:crypto';
import type { Tx } from '../../platform/db.ts';

/**
 * Reads a template of the account, with all senders that use it.
 * @param lock locks the row for an update, so that concurrent changes are made one after the other
 * @returns undefined when the account has no such template
 */
export async function loadTemplate(tx: Tx, accountId: number, id: number, { lock = false } = {}) {
  const template = await tx
    .selectFrom('mail_template')
    .select(['id', 'name', 'text_body', 'html_body', 'updated_at'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!template) return undefined;
  const senders = await tx
    .selectFrom('sender')
    .innerJoin('sender_group', (join) =>
      join
        .onRef('sender_group.account_id', '=', 'sender.account_id')
        .onRef('sender_group.id', '=', 'sender.sender_group_id'),
    )
    .select([
      'sender.id',
      'sender_group.group_name as group',
      'sender.person_in_charge',
      'sender.email',
      'sender.signature',
      'sender.subject',
      'sender.active',
    ])
    .where('sender.account_id', '=', accountId)
    .where('sender.template_id', '=', id)
    .orderBy('sender.id')
    .execute();
  return { ...template, senders };
}

/** The parts of a template that its editor changes. */
export interface TemplateContent {
  readonly name: string;
  readonly text_body: string;
  readonly html_body: string;
  readonly senders: readonly { readonly id: number; readonly subject: string }[];
}

/**
 * Hashes the content of a template. Equal contents have equal versions, so that a repeated save is no conflict.
 * @returns 22 characters of base64url (132 bits of SHA-256)
 */
export function versionOf({ name, text_body, html_body, senders }: TemplateContent): string {
  const content = [name, text_body, html_body, senders.map(({ id, subject }) => [id, subject])];
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}
