import { PRIMARY_COLUMN, TAGS_COLUMN } from '#contract/companies/own-fields-names.ts';
import { labelKey } from '#domain/company/own-label.ts';
import type { Tx } from '../../platform/database/db.ts';
import { readOwnFields } from '../own-fields/own-fields.queries.ts';
import type { StoredImport } from './import.queries.ts';

/** Returns the own columns of the list that an import has filled, by their names in `own_columns` of the list. */
export async function importedColumns(
  tx: Tx,
  accountId: number,
  { settings }: Pick<StoredImport, 'settings'>,
): Promise<string[]> {
  const columns = settings?.table?.columns ?? [];
  const own = columns.filter(({ field }) => field === 'own');
  const fields = own.length === 0 ? [] : await readOwnFields(tx, accountId);
  const keys = own.flatMap(({ custom_field_id: id, new_field: made }) => {
    const field = fields.find((one) => one.id === id || (made && labelKey(one.label) === labelKey(made.label)));
    return field === undefined || field.archived ? [] : [field.key];
  });
  const hasPeople = columns.some(({ field }) => field.startsWith('person_'));
  const hasTags = settings?.tag !== undefined || columns.some(({ field }) => field === 'tags');
  return [...new Set([...(hasPeople ? [PRIMARY_COLUMN] : []), ...(hasTags ? [TAGS_COLUMN] : []), ...keys])];
}
