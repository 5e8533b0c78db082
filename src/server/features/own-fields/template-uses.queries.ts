import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';

/** A template that names own fields of companies, in one of its parts or in a subject of a sender of its own. */
export interface TemplateUse {
  readonly id: number;
  readonly name: string;
  readonly keys: readonly string[];
}

/**
 * Finds the templates in use that name own fields. It compares words, without parsing: `custom.rank` in a sentence
 * counts too, which keeps a field longer than needed.
 */
export async function readTemplateUses(tx: Tx, accountId: number): Promise<readonly TemplateUse[]> {
  const { rows } = await sql<TemplateUse>`
    SELECT template.id, template.name, array_agg(DISTINCT named.found[1] ORDER BY named.found[1]) AS keys
    FROM mail_template AS template
    CROSS JOIN LATERAL (
      VALUES (template.subject), (template.text_body), (template.html_body)
      UNION ALL
      SELECT sender.subject FROM sender
      WHERE sender.account_id = template.account_id AND sender.template_id = template.id
    ) AS part (source)
    CROSS JOIN LATERAL regexp_matches(
      part.source, '\\mcustom(?:\\.\\s*|\\[\\s*["''])([a-z][a-z0-9_]{0,29})\\M', 'g') AS named (found)
    WHERE template.account_id = ${accountId} AND template.archived_at IS NULL AND strpos(part.source, 'custom') > 0
    GROUP BY template.id, template.name
    ORDER BY template.name, template.id`.execute(tx);
  return rows;
}

/** Returns the templates in use that name an own field: while there are any, it cannot be archived. */
export async function templatesUsing(tx: Tx, accountId: number, key: string): Promise<readonly TemplateUse[]> {
  return (await readTemplateUses(tx, accountId)).filter(({ keys }) => keys.includes(key));
}
