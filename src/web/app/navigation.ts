import type { Icon } from '@tabler/icons-react';
import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import IconBuilding from '@tabler/icons-react/dist/esm/icons/IconBuilding.mjs';
import IconCalendarEvent from '@tabler/icons-react/dist/esm/icons/IconCalendarEvent.mjs';
import IconChartBar from '@tabler/icons-react/dist/esm/icons/IconChartBar.mjs';
import IconFileText from '@tabler/icons-react/dist/esm/icons/IconFileText.mjs';
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs';
import IconSettings from '@tabler/icons-react/dist/esm/icons/IconSettings.mjs';
import { PATHS } from '#web/lib/address/paths.ts';
import { APP_MESSAGES } from './words.ts';

export interface NavItem {
  readonly to: string;
  readonly label: string;
  readonly Icon: Icon;
  /** Other paths whose screens belong to this item. */
  readonly under?: readonly string[];
  /** Shown in the bottom bar of phones; the other items are in its sheet. */
  readonly isInBar?: true;
  /** Shows the number of reservations, which loads with the screens behind the login. */
  readonly isCounted?: true;
}

const { nav } = APP_MESSAGES.shell;

/** The navigation's screens in order. A new screen is one entry here. */
export const NAV_ITEMS: readonly NavItem[] = [
  {
    to: PATHS.attackList,
    label: nav.prospects,
    Icon: IconBuilding,
    under: [PATHS.prospects, PATHS.imports],
    isInBar: true,
  },
  { to: PATHS.reservations, label: nav.reservations, Icon: IconCalendarEvent, isInBar: true, isCounted: true },
  { to: PATHS.sends, label: nav.sends, Icon: IconSend, isInBar: true },
  { to: PATHS.reports, label: nav.reports, Icon: IconChartBar },
  { to: PATHS.templates, label: nav.templates, Icon: IconFileText, under: [PATHS.template] },
  { to: PATHS.suppressions, label: nav.suppressions, Icon: IconBan },
  {
    to: PATHS.settingsGroups,
    label: nav.settings,
    Icon: IconSettings,
    under: [
      PATHS.settingsMailboxes,
      PATHS.settingsLegal,
      PATHS.settingsSending,
      PATHS.settingsDomains,
      PATHS.settingsMembers,
      PATHS.settingsAudit,
      PATHS.settingsLoginRules,
      PATHS.settingsNotices,
      PATHS.settingsFields,
      PATHS.settingsPersonalData,
    ],
  },
];

/** Whether a screen belongs to an item. `/` has no screens below it. */
export const isCurrent = ({ to, under = [] }: Pick<NavItem, 'to' | 'under'>, pathname: string): boolean =>
  [to, ...under].some((path) => pathname === path || (path !== '/' && pathname.startsWith(`${path}/`)));
