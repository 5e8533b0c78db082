import { sql } from 'kysely';
import type { TEMPLATE_EDITORS } from '#contract/templates/mail-templates-fields.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { byKey } from '../../platform/database/list-rows.ts';
import { onlyRow } from '../../platform/database/only-row.ts';

/** A template's content, which a save replaces as a whole. Every save makes a version. */
export interface TemplateContent {
  readonly name: string;
  readonly subject: string;
  readonly text_body: string;
  readonly html_body: string;
  readonly editor: (typeof TEMPLATE_EDITORS)[number];
  readonly text_follows: boolean;
}

/** A sender's own subject; null: the template's. */
export interface OwnSubject {
  readonly id: number;
  readonly own_subject: string | null;
}

/** Returns only the content. */
export const contentOf = ({ name, subject, text_body, html_body, editor, text_follows }: TemplateContent) => ({
  name,
  subject,
  text_body,
  html_body,
  editor,
  text_follows,
});

const CONTENT = ['name', 'subject', 'text_body', 'html_body', 'editor', 'text_follows'] as const;

/**
 * Reads a template of the account, with all senders that use it.
 * @param lock locks the row for an update, so that concurrent changes are made one after the other
 * @returns undefined when the account has no such template
 */
export async function loadTemplate(tx: Tx, accountId: number, id: number, { lock = false } = {}) {
  const template = await tx
    .selectFrom('mail_template')
    .select([...CONTENT.map((name) => `mail_template.${name}` as const), 'id', 'folder_id', 'archived_at', 'member_id'])
    .select(['updated_at', 'sendgrid_template_id', 'sendgrid_footer_confirmed_at'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!template) return undefined;
  const senders = await tx
    .selectFrom('sender')
    .innerJoin('sender_profile', byKey('sender_profile', 'sender.profile_id'))
    .innerJoin('sender_group', byKey('sender_group', 'sender.sender_group_id'))
    .select([
      'sender.id',
      'sender.sender_group_id',
      'sender.profile_id',
      'sender_group.group_name as group',
      'sender_profile.person_in_charge',
      'sender_profile.email',
      'sender_profile.reply_to',
      'sender_profile.mailbox_id',
      'sender_profile.signature',
      'sender.subject as own_subject',
      'sender.active',
    ])
    .where('sender.account_id', '=', accountId)
    .where('sender.template_id', '=', id)
    .orderBy('sender.id')
    .execute();
  const used = new Set(senders.filter(({ active }) => active).map(({ profile_id }) => profile_id));
  return {
    ...template,
    // The column's CHECK allows only these values.
    editor: template.editor as TemplateContent['editor'],
    senders,
    sender_profile_ids: inOrder(used),
  };
}

/** Returns each id once, in order. */
export const inOrder = (ids: Iterable<number>): number[] => [...new Set(ids)].sort((a, b) => a - b);

export type LoadedTemplate = NonNullable<Awaited<ReturnType<typeof loadTemplate>>>;

/** Reads the editor's data besides the template: its newest version, who saved it, and its reservations. */
export async function loadTemplateState(tx: Tx, accountId: number, id: number) {
  const { rows } = await sql<{ number: number; updated_by: string | null; reservations: number }>`
    SELECT
      (SELECT max(number) FROM mail_template_version
       WHERE account_id = ${accountId} AND template_id = ${id}) AS number,
      (SELECT member.name FROM mail_template
       JOIN member ON member.account_id = mail_template.account_id AND member.id = mail_template.member_id
       WHERE mail_template.account_id = ${accountId} AND mail_template.id = ${id}) AS updated_by,
      (SELECT count(*)::int FROM reservation
       JOIN sender ON sender.account_id = reservation.account_id AND sender.id = reservation.sender_id
       WHERE reservation.account_id = ${accountId} AND sender.template_id = ${id}
         AND reservation.active AND NOT reservation.is_sent) AS reservations`.execute(tx);
  return onlyRow(rows);
}

/** What a save of a template may change: content, senders' own subjects, and the profiles that use it. */
export interface SavedContent extends TemplateContent {
  readonly senders: readonly OwnSubject[];
  /** Sorted by id. */
  readonly sender_profile_ids: readonly number[];
}

/** Returns the version hash of what a save may change. */
export function versionOf(saved: SavedContent): string {
  const subjects = saved.senders.map(({ id, own_subject }) => [id, own_subject]);
  return contentVersion([...Object.values(contentOf(saved)), subjects, saved.sender_profile_ids]);
}
