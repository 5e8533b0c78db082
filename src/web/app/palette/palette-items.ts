import { normalizeText, searchWords } from '#domain/text/text-filter.ts';
import { ATTACK_LIST_PATH, PATHS, RESERVATIONS_PATH } from '#web/lib/address/paths.ts';
import { NAV_ITEMS } from '../navigation.ts';
import { APP_MESSAGES, PALETTE_MESSAGES } from '../words.ts';

/** The screen that it opens, or the sender that it chooses. */
type Target = { readonly to: string } | { readonly senderId: number };

export type PaletteItem = Target & {
  readonly group: keyof typeof PALETTE_MESSAGES.groups;
  readonly label: string;
  /** What tells it from others of the same name. */
  readonly note?: string;
};

const screen = (label: string, to: string): PaletteItem => ({ group: 'screens', label, to });
const { tabs } = PALETTE_MESSAGES;

/** The screens: those of the navigation, the other tabs of the list, imports, and the account. */
export const SCREEN_ITEMS: readonly PaletteItem[] = [
  ...NAV_ITEMS.map(({ label, to }) => screen(label, to)),
  screen(tabs.reservations, RESERVATIONS_PATH),
  screen(tabs.attackList, ATTACK_LIST_PATH),
  screen(tabs.newImport, PATHS.newImport),
  screen(tabs.imports, PATHS.imports),
  screen(APP_MESSAGES.shell.account, PATHS.account),
];

/** Returns the items that contain every word of the query, compared as the server compares. */
export function matchingItems(items: readonly PaletteItem[], query: string): PaletteItem[] {
  const words = searchWords(normalizeText(query));
  return items.filter(({ label, note = '' }) => {
    const text = normalizeText(`${label} ${note}`);
    return words.every((word) => text.includes(word));
  });
}
