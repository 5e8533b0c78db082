import { sql } from 'kysely';
import type { OwnFieldType } from '#contract/companies/own-fields-names.ts';
import type { Db, Tx } from '../../platform/database/db.ts';

/** An own field of an account's companies. */
export interface OwnField {
  readonly id: number;
  /** Its name in templates: {{ custom.KEY }}. */
  readonly key: string;
  readonly label: string;
  readonly type: OwnFieldType;
  readonly archived: boolean;
  /** Of the type 'choice'; otherwise none. */
  readonly options: readonly OwnOption[];
}

export interface OwnOption {
  readonly id: number;
  readonly label: string;
  readonly archived: boolean;
}

export interface Tag {
  readonly id: number;
  readonly label: string;
  readonly colour: number;
  readonly archived: boolean;
}

/** Reads the account's own fields in their order, archived ones too. */
export async function readOwnFields(tx: Tx | Db, accountId: number): Promise<readonly OwnField[]> {
  const { rows } = await sql<OwnField>`
    SELECT field.id, field.key, field.label, field.type, field.archived_at IS NOT NULL AS archived,
      coalesce(option.options, '[]') AS options
    FROM custom_field AS field
    LEFT JOIN (
      SELECT field_id, json_agg(
        json_build_object('id', id, 'label', label, 'archived', archived_at IS NOT NULL) ORDER BY position, id
      ) AS options
      FROM label WHERE account_id = ${accountId} AND field_id IS NOT NULL
      GROUP BY field_id
    ) AS option ON option.field_id = field.id
    WHERE field.account_id = ${accountId}
    ORDER BY field.position, field.id`.execute(tx);
  return rows;
}

/** Reads the account's tags by name, archived ones too. */
export async function readTags(tx: Tx | Db, accountId: number): Promise<readonly Tag[]> {
  const { rows } = await sql<Tag>`
    SELECT id, label, colour, archived_at IS NOT NULL AS archived
    FROM label WHERE account_id = ${accountId} AND field_id IS NULL
    ORDER BY label_key, id`.execute(tx);
  return rows;
}
