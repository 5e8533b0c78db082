import { sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';

/** The form of the ids of SendGrid's dynamic templates. */
const TEMPLATE_ID = /^d-[0-9a-f]{32}$/;

/**
 * Sets the dynamic template from which SendGrid renders the mails of a template.
 * Accepted runs keep their id.
 * @param sendGridId null removes the id
 * @returns null if it was set; 400 for a malformed id, 404 for an unknown template
 */
export async function setSendGridTemplate(
  db: Db,
  { accountId, id }: { readonly accountId: number; readonly id: number },
  sendGridId: string | null,
): Promise<Refusal | null> {
  if (sendGridId !== null && !TEMPLATE_ID.test(sendGridId)) {
    return new Problem(
      'invalid_sendgrid_template',
      'SendGridのテンプレートIDは、d- と32桁の16進数（小文字）です。SendGridのテンプレートの画面で確認してください。',
    );
  }
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('mail_template')
      .set(({ ref }) => ({
        sendgrid_template_id: sendGridId,
        // The confirmation does not cover another template.
        sendgrid_footer_confirmed_at: sql<Date | null>`CASE WHEN ${ref('sendgrid_template_id')} = ${sendGridId}
          THEN ${ref('sendgrid_footer_confirmed_at')} END`,
      }))
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return unknownTemplate(id);
    const detail = { template_id: id, sendgrid_template_id: sendGridId };
    await recordAudit(tx, { accountId, memberId: null, kind: 'sendgrid_template_set_by_operator', detail });
    return null;
  });
}

const unknownTemplate = (id: number) =>
  new Problem('not_found', `番号 ${id} のテンプレートはありません。template list で番号を確認してください。`);

/** Lists the templates of an account by creation, each with its SendGrid id or null. */
export const listTemplates = (db: Db, accountId: number) =>
  db
    .selectFrom('mail_template')
    .select(['id', 'name', 'sendgrid_template_id'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
