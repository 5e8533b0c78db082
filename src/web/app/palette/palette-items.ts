import type { Icon } from '@tabler/icons-react';
import IconBuilding from '@tabler/icons-react/dist/esm/icons/IconBuilding.mjs';
import IconCalendarTime from '@tabler/icons-react/dist/esm/icons/IconCalendarTime.mjs';
import IconFileImport from '@tabler/icons-react/dist/esm/icons/IconFileImport.mjs';
import IconFileText from '@tabler/icons-react/dist/esm/icons/IconFileText.mjs';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import IconListCheck from '@tabler/icons-react/dist/esm/icons/IconListCheck.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconUser from '@tabler/icons-react/dist/esm/icons/IconUser.mjs';
import { normalizeText, searchWords } from '#domain/text/text-filter.ts';
import { ATTACK_LIST_PATH, PATHS, RESERVATIONS_PATH } from '#web/lib/address/paths.ts';
import { NAV_ITEMS } from '../navigation.ts';
import type { Overlay } from '../overlay-state.ts';
import { APP_MESSAGES } from '../words.ts';
import { PALETTE_MESSAGES } from './words.ts';

/** What a palette item does: opens a screen, optionally with a dialog, or chooses a sender. */
type Target = { readonly to: string; readonly opens?: Overlay } | { readonly senderId: number };

export type PaletteItem = Target & {
  readonly group: keyof typeof PALETTE_MESSAGES.groups;
  readonly label: string;
  /** Absent: the icon of its group. */
  readonly Icon?: Icon;
  /** Distinguishes items of the same name. */
  readonly note?: string;
};

const screen = (label: string, to: string, Icon: Icon): PaletteItem => ({ group: 'screens', label, to, Icon });
const { tabs } = PALETTE_MESSAGES;

/** Actions that can start on every screen. */
export const ACT_ITEMS: readonly PaletteItem[] = [
  { group: 'acts', label: APP_MESSAGES.addCompany, to: PATHS.attackList, opens: 'add-company', Icon: IconPlus },
  { group: 'acts', label: APP_MESSAGES.importCompanies, to: PATHS.newImport, Icon: IconFileImport },
];

export const ICONS: Readonly<Record<PaletteItem['group'], Icon>> = {
  acts: IconPlus,
  screens: IconListCheck,
  templates: IconFileText,
  companies: IconBuilding,
  people: IconUser,
};

/** The screens of the navigation, the other tabs of the list, imports, and the account. */
export const SCREEN_ITEMS: readonly PaletteItem[] = [
  ...NAV_ITEMS.map(({ label, to, Icon }) => screen(label, to, Icon)),
  screen(tabs.reservations, RESERVATIONS_PATH, IconCalendarTime),
  screen(tabs.attackList, ATTACK_LIST_PATH, IconListCheck),
  screen(tabs.imports, PATHS.imports, IconHistory),
  screen(APP_MESSAGES.shell.account, PATHS.account, IconUser),
];

/** Returns the items that contain every word of the query. Compares texts as the server does. */
export function matchingItems(items: readonly PaletteItem[], query: string): PaletteItem[] {
  const words = searchWords(normalizeText(query));
  return items.filter(({ label, note = '' }) => {
    const text = normalizeText(`${label} ${note}`);
    return words.every((word) => text.includes(word));
  });
}
