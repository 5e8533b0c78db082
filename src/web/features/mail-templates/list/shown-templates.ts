import { normalizeText, searchWords } from '#domain/text/text-filter.ts';
import type { Sort } from '#web/components/data-table/sort.ts';
import type { TEMPLATES } from '#web/lib/address/params.ts';
import type { Folder, TemplateRow } from './list-templates.ts';

/** The folder in the address: an id, or one of these. */
type FolderChoice = ReturnType<typeof TEMPLATES.folder>;

/** Whether a template is shown in a folder. Archived ones are in their own alone. */
export function isIn(
  { archived, folder_id }: Pick<TemplateRow, 'archived' | 'folder_id'>,
  folder: FolderChoice,
): boolean {
  if (archived === 1) return folder === 'archived';
  if (folder === 'all') return true;
  return folder === 'none' ? folder_id === null : folder_id === folder;
}

export interface Shown {
  readonly folder: FolderChoice;
  readonly search: string;
  readonly sort: Sort | undefined;
  /** Sent mails by template; undefined: not counted yet. */
  readonly sent?: ReadonlyMap<number, number> | undefined;
}

/** Returns the templates of a folder whose name or subject has every word of the search, sorted. */
export function shownTemplates(
  templates: readonly TemplateRow[],
  { folder, search, sort, sent }: Shown,
): TemplateRow[] {
  const words = searchWords(normalizeText(search));
  const found = templates.filter((template) => {
    const text = normalizeText(`${template.name} ${template.subject}`);
    return isIn(template, folder) && words.every((word) => text.includes(word));
  });
  if (sort === undefined) return found;
  const direction = sort.order === 'asc' ? 1 : -1;
  return found.toSorted((one, other) => direction * compare(keyOf(one, sort.id, sent), keyOf(other, sort.id, sent)));
}

const COLLATOR = new Intl.Collator('ja', { numeric: true });
const compare = (one: string | number, other: string | number): number =>
  typeof one === 'number' && typeof other === 'number' ? one - other : COLLATOR.compare(String(one), String(other));

function keyOf(template: TemplateRow, column: string, sent: Shown['sent']): string | number {
  switch (column) {
    case 'subject':
      return template.subject;
    case 'updated_at':
      return template.updated_at;
    case 'sent':
      return sent?.get(template.id) ?? 0;
    case 'senders':
      return template.senders[0]?.person_in_charge ?? '';
    default:
      return template.name;
  }
}

/** The folder of a choice; undefined: it no longer exists. */
export const folderOf = (folders: readonly Folder[], choice: FolderChoice): Folder | undefined =>
  folders.find(({ id }) => id === choice);
