import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Db } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import { ownKeysOf } from '../mail-content/merge-values.queries.ts';
import { readTemplate } from '../mail-content/template.ts';
import type { OwnKeys } from '../mail-content/template-walk.ts';
import type { OwnSubject, TemplateContent } from './template.queries.ts';

/** `path`: the field of the request body, as in schema errors. `message` is Japanese. */
export interface TemplateFault {
  readonly path: string;
  readonly message: string;
}

/**
 * Checks templates, and returns at most one fault each.
 * @param parts the templates by path in the request body
 * @param ownKeys of the account's own fields
 */
export const templateFaults = (parts: Readonly<Record<string, string>>, ownKeys: OwnKeys): TemplateFault[] =>
  Object.entries(parts).flatMap(([path, source]) => {
    const read = readTemplate(path === 'text_body' || path === 'html_body' ? path : 'subject', source, { ownKeys });
    return read.ok ? [] : [{ path, message: read.fault }];
  });

/** Returns the parts of a template's content by their paths in the request body. */
export const partsOf = (
  content: Pick<TemplateContent, 'subject' | 'text_body' | 'html_body'>,
  senders: readonly Pick<OwnSubject, 'own_subject'>[] = [],
): Record<string, string> => ({
  subject: content.subject,
  text_body: content.text_body,
  html_body: content.html_body,
  ...Object.fromEntries(
    senders.flatMap(({ own_subject }, index) =>
      own_subject === null ? [] : [[`senders.${index}.subject`, own_subject]],
    ),
  ),
});

/** Turns template faults into one 400 refusal, with a detail for each fault. */
export function faultsProblem(details: readonly TemplateFault[]): Problem {
  const message = 'このままではメールを作れません。表示された箇所を修正してください。';
  return new Problem('invalid_template', message, undefined, [...details]);
}

/** Templates read by one query. */
const PAGE_ROWS = 100;

/**
 * Logs every stored template that fails the check and so cannot be sent.
 * An older version may have saved tags that are refused now, and a subject may have been set by SQL.
 * @param db a pool of the role kaitaku_service, to read all accounts
 */
export async function logUnusableTemplates(db: Db, log: FastifyBaseLogger): Promise<void> {
  for (let last = 0, isDone = false; !isDone; ) {
    const templates = await readTemplates(db, last);
    for (const { account_id: account, id: template, senders, own_fields, ...content } of templates) {
      const faults = templateFaults(partsOf(content, senders), ownKeysOf(own_fields));
      if (faults.length > 0) log.warn({ account, template, faults }, UNUSABLE);
    }
    last = templates.at(-1)?.id ?? last;
    isDone = templates.length < PAGE_ROWS;
  }
}

const UNUSABLE =
  'template cannot be sent: sends and reservations with it are refused until it is changed in its editor';

const readTemplates = (db: Db, after: number) =>
  db
    .selectFrom('mail_template')
    .select(['account_id', 'id', 'subject', 'text_body', 'html_body'])
    .select(({ selectFrom }) =>
      jsonArrayFrom(
        selectFrom('sender')
          .select('sender.subject as own_subject')
          .whereRef('sender.account_id', '=', 'mail_template.account_id')
          .whereRef('sender.template_id', '=', 'mail_template.id')
          .orderBy('sender.id'),
      ).as('senders'),
    )
    .select(({ selectFrom }) =>
      jsonArrayFrom(
        selectFrom('custom_field')
          .select(['custom_field.key', sql<boolean>`custom_field.archived_at IS NOT NULL`.as('archived')])
          .whereRef('custom_field.account_id', '=', 'mail_template.account_id'),
      ).as('own_fields'),
    )
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE_ROWS)
    .execute();
