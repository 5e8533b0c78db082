import { normalizeText, searchWords } from '#domain/text/text-filter.ts';
import type { TEMPLATES } from '#web/lib/address/params.ts';
import type { Folder, SentCounts, TemplateRow } from './list-templates.ts';
import type { TEMPLATE_LIST_MESSAGES } from './words.ts';

/** The folder in the address: an id, or one of these names. */
type FolderChoice = ReturnType<typeof TEMPLATES.folder>;

/** Whether a folder shows a template. Archived templates are only in the folder of archived ones. */
export function isIn(
  { archived, folder_id }: Pick<TemplateRow, 'archived' | 'folder_id'>,
  folder: FolderChoice,
): boolean {
  if (archived === 1) return folder === 'archived';
  if (folder === 'all') return true;
  return folder === 'none' ? folder_id === null : folder_id === folder;
}

export type Order = keyof typeof TEMPLATE_LIST_MESSAGES.orders;

export interface Shown {
  readonly folder: FolderChoice;
  readonly search: string;
  readonly order: Order;
  /** The counts by template; undefined: not loaded. */
  readonly sent?: ReadonlyMap<number, SentCounts> | undefined;
}

/** Returns the sorted templates of a folder whose name or subject contains every word of the search. */
export function shownTemplates(
  templates: readonly TemplateRow[],
  { folder, search, order, sent }: Shown,
): TemplateRow[] {
  const words = searchWords(normalizeText(search));
  const found = templates.filter((template) => {
    const text = normalizeText(`${template.name} ${template.subject}`);
    return isIn(template, folder) && words.every((word) => text.includes(word));
  });
  const sentOf = ({ id }: TemplateRow) => sent?.get(id)?.sent ?? 0;
  const replyRateOf = ({ id }: TemplateRow) => (sent?.get(id)?.replied ?? 0) / Math.max(sent?.get(id)?.sent ?? 0, 1);
  const orders: Readonly<Record<Order, (one: TemplateRow, other: TemplateRow) => number>> = {
    updated_at: (one, other) => COLLATOR.compare(other.updated_at, one.updated_at),
    name: (one, other) => COLLATOR.compare(one.name, other.name),
    sent: (one, other) => sentOf(other) - sentOf(one),
    reply_rate: (one, other) => replyRateOf(other) - replyRateOf(one),
  };
  return found.toSorted(orders[order]);
}

const COLLATOR = new Intl.Collator('ja', { numeric: true });

/** Returns the chosen folder; undefined: it no longer exists. */
export const folderOf = (folders: readonly Folder[], choice: FolderChoice): Folder | undefined =>
  folders.find(({ id }) => id === choice);
