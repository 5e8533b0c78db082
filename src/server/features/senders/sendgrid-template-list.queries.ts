import type { Db } from '../../platform/db.ts';

/** Lists the templates of an account in the order of creation, each with its SendGrid id or null. */
export const listTemplates = (db: Db, accountId: number) =>
  db
    .selectFrom('mail_template')
    .select(['id', 'name', 'sendgrid_template_id'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
