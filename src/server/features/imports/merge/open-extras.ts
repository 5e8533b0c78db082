import type { PersonImportField } from '#contract/imports/imports-names.ts';
import { memberKey } from '#domain/company/own-label.ts';
import { meansBlank } from '#domain/text/blank-text.ts';
import { foldHeading } from '#domain/text/fold-heading.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { Problem, type Refusal } from '../../../platform/problem.ts';
import { cleanCell } from '../../cells/cell-text.ts';
import { ensureFields } from '../../own-fields/ensure.command.ts';
import { type OwnField, readOwnFields } from '../../own-fields/own-fields.queries.ts';
import { readOwnCell } from '../../own-fields/own-value.ts';
import type { ExtraPlan, OwnColumn } from '../read/cells/read-extras.ts';
import { fieldGone } from '../read/faults.ts';
import type { ExtraColumn, Header, OwnLabels } from '../read/table/header.ts';
import type { ImportSource } from './import-run.queries.ts';

/* Opens what an import needs to read columns that are no company's own. */

/** How a file's extra columns are read. */
export interface ExtraRules {
  readonly latestYear: number;
  readonly keepsCutPhones?: boolean | undefined;
  /** A tag of each company of the file. */
  readonly tag?: string | undefined;
}

/**
 * Makes the fields that the file brings, and the readers of its extra columns.
 * @returns null for a file without any; a Problem where a field is gone, or cannot be made
 */
export async function openExtras(
  tx: Tx,
  { accountId, importRunId }: ImportSource,
  header: Header,
  { latestYear, keepsCutPhones = false, tag }: ExtraRules,
): Promise<ExtraPlan | null | Refusal> {
  const { extras } = header;
  if (extras.length === 0 && tag === undefined) return null;
  const own = await openFields(tx, { accountId, importRunId }, extras);
  if (own instanceof Problem) return own;
  const at = (field: ExtraColumn['field']) => extras.find((column) => column.field === field)?.index ?? null;
  const ownerAt = at('owner');
  return {
    people: new Map(
      extras.flatMap(({ field, index }) =>
        field.startsWith('person_') ? [[field as PersonImportField, index] as const] : [],
      ),
    ),
    own,
    tagsAt: extras.flatMap(({ field, index }) => (field === 'tags' ? [index] : [])),
    tag: tag ?? null,
    owner: ownerAt === null ? null : { index: ownerAt, find: findMember(await readMembers(tx, accountId)) },
    externalAt: at('external_id'),
    latestYear,
    keepsCutPhones,
  };
}

async function openFields(
  tx: Tx,
  scope: { readonly accountId: number; readonly importRunId: number },
  extras: readonly ExtraColumn[],
): Promise<OwnColumn[] | Refusal> {
  const columns = extras.filter(({ field }) => field === 'own');
  if (columns.length === 0) return [];
  const wanted = columns.flatMap(({ new_field: made }) => (made === undefined ? [] : [made]));
  const fields = await ensureFields(tx, scope.accountId, wanted, scope.importRunId);
  if (fields instanceof Problem) return fields as Refusal;
  const found = columns.map(({ index, custom_field_id: id, new_field: made }) => {
    const field = fields.find((one) =>
      made === undefined ? one.id === id : foldHeading(one.label) === foldHeading(made.label),
    );
    return field === undefined || field.archived ? null : ownColumn(index, field);
  });
  return found.includes(null) ? fieldGone : (found as OwnColumn[]);
}

const ownColumn = (index: number, field: OwnField): OwnColumn => ({
  index,
  id: field.id,
  label: field.label,
  type: field.type,
  read: (cell) => readOwnCell(field, cell),
});

export interface Member {
  readonly id: number;
  readonly name: string;
  readonly email: string;
}

/** Reads the account's active members. */
export const readMembers = (tx: Tx, accountId: number): Promise<Member[]> =>
  tx
    .selectFrom('member')
    .select(['id', 'name', 'email'])
    .where('account_id', '=', accountId)
    .where('active', '=', true)
    .execute();

/** Returns a reader of cells with a member's full name or address. */
export function findMember(members: readonly Member[]): (cell: string) => number | null | { fault: string } {
  const byKey = Map.groupBy(
    members.flatMap(({ id, name, email }) => [...new Set([name, email].map(memberKey))].map((key) => ({ id, key }))),
    ({ key }) => key,
  );
  return (cell) => {
    const text = cleanCell(cell) ?? '';
    if (text === '' || meansBlank(text)) return null;
    const found = byKey.get(memberKey(text)) ?? [];
    const [first, second] = found;
    if (first === undefined) return { fault: 'メンバーの氏名かメールアドレスではありません。' };
    return second === undefined
      ? first.id
      : { fault: '同じ氏名のメンバーが2人以上います。メールアドレスで書いてください。' };
  };
}

/** Reads the account's own fields in use, by which headings are recognised. */
export async function readOwnLabels(tx: Tx, accountId: number): Promise<OwnLabels> {
  const fields = await readOwnFields(tx, accountId);
  return new Map(fields.flatMap(({ id, label, archived }) => (archived ? [] : [[foldHeading(label), id] as const])));
}

/** Reads the names of the fields that an import has made. */
export async function madeFields(tx: Tx, { accountId, importRunId }: ImportSource): Promise<string[]> {
  const made = await tx
    .selectFrom('custom_field')
    .select('label')
    .where('account_id', '=', accountId)
    .where('import_run_id', '=', importRunId)
    .orderBy('position')
    .execute();
  return made.map(({ label }) => label);
}
