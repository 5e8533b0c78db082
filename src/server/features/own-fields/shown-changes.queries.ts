import { plainDay } from '#domain/time/shown-time.ts';
import type { Tx } from '../../platform/database/db.ts';
import { type OwnField, readOwnFields, readTags } from './own-fields.queries.ts';
import { exportText, type OwnValue } from './own-value.ts';

/** A change of a company's history, as prospect_change has it or as a person reads it. */
interface Change {
  readonly field: string;
  readonly old: unknown;
  readonly new: unknown;
}

type Shown<C extends Change> = Omit<C, 'old' | 'new'> & {
  /** The name of an own field, of the tags or the like; undefined: a column of companies. */
  readonly label?: string;
  readonly old: string | number | null;
  readonly new: string | number | null;
};

/** How the values of a changed field are shown. */
interface Naming {
  readonly field: string;
  readonly label: string;
  readonly text: (value: unknown) => string | number | null;
}

const plain = (value: unknown) => value as string | number | null;

/**
 * Names own fields, tags, options and members in changes: `own.7` is `custom.rank`, with the name of the field.
 * What is gone since, such as a merged tag, is left out.
 */
export async function showChanges<C extends Change>(
  tx: Tx,
  accountId: number,
  changes: readonly C[],
): Promise<Shown<C>[]> {
  const named = changes.some(({ field }) => field.startsWith('own.')) ? await readNames(tx, accountId) : new Map();
  return changes.map((change) => {
    const naming: Naming | undefined = named.get(change.field) ?? OTHERS.get(change.field);
    if (naming === undefined) return { ...change, old: plain(change.old), new: plain(change.new) };
    const { field, label, text } = naming;
    return { ...change, field, label, old: text(change.old), new: text(change.new) };
  });
}

const OTHERS: ReadonlyMap<string, Naming> = new Map([
  ['external_id', { field: 'external_id', label: '外部ID', text: plain }],
]);

async function readNames(tx: Tx, accountId: number): Promise<Map<string, Naming>> {
  const fields = await readOwnFields(tx, accountId);
  const tags = new Map((await readTags(tx, accountId)).map(({ id, label }) => [id, label]));
  const members = await tx.selectFrom('member').select(['id', 'name']).where('account_id', '=', accountId).execute();
  const nameOf = new Map(members.map(({ id, name }) => [id, name]));
  return new Map<string, Naming>([
    ...fields.map(
      (field) => [`own.${field.id}`, { field: `custom.${field.key}`, label: field.label, text: shown(field) }] as const,
    ),
    [
      'own.tags',
      {
        field: 'tags',
        label: 'タグ',
        text: (ids) => (ids as number[]).flatMap((id) => tags.get(id) ?? []).join('、') || null,
      },
    ],
    ['own.owner', { field: 'owner', label: '自社担当', text: (id) => nameOf.get(id as number) ?? null }],
  ]);
}

const shown = (field: OwnField) => (value: unknown) => {
  if (value === null) return null;
  if (field.type === 'number') return value as number;
  const text = exportText(field, value as OwnValue);
  return (field.type === 'date' ? plainDay(text) : text) || null;
};
