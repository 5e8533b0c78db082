import type { FastifyBaseLogger } from 'fastify';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Db } from '../../platform/database/db.ts';
import { partsOf, templateFaults } from './template-faults.ts';

/** Templates read by one query. */
const PAGE_ROWS = 100;

/**
 * Logs each stored template, of any account, that fails the check and so cannot be sent.
 * Templates saved by an older version may use tags that are refused now, and a subject may have been set by SQL.
 * @param db a pool of the role kaitaku_service
 */
export async function logUnusableTemplates(db: Db, log: FastifyBaseLogger): Promise<void> {
  for (let last = 0, isDone = false; !isDone; ) {
    const templates = await readTemplates(db, last);
    for (const { account_id: account, id: template, senders, ...content } of templates) {
      const faults = templateFaults(partsOf(content, senders));
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
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE_ROWS)
    .execute();
