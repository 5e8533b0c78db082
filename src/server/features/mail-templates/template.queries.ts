import { createHash } from 'node:crypto';
import type { Tx } from '../../platform/db.ts';

/**
 * A template of the account with all senders that use it.
 * @param lock for a change: whoever else wants to change it waits, and then reads what was written
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
      'sender.subject',
      'sender.active',
    ])
    .where('sender.account_id', '=', accountId)
    .where('sender.template_id', '=', id)
    .orderBy('sender.id')
    .execute();
  return { ...template, senders };
}

/** What an editor changes; equal contents have equal versions, so that the same change asked for twice is no conflict. */
export interface TemplateContent {
  readonly name: string;
  readonly text_body: string;
  readonly html_body: string;
  readonly senders: readonly { readonly id: number; readonly subject: string }[];
}

export function versionOf({ name, text_body, html_body, senders }: TemplateContent): string {
  const content = [name, text_body, html_body, senders.map(({ id, subject }) => [id, subject])];
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}
