import type { ReactNode } from 'react';
import { PATHS } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useLocation } from '#web/lib/router/use-router.ts';
import { isCurrent } from '../navigation.ts';
import { APP_MESSAGES } from '../words.ts';
import styles from './settings-layout.module.css';

const { settings } = APP_MESSAGES;

/** The pages of the settings, in their order. A new page is one line here. */
const PAGES = [
  { to: PATHS.settingsGroups, label: settings.groups },
  { to: PATHS.settingsLegal, label: settings.legal },
  { to: PATHS.settingsDomains, label: settings.domains },
  { to: PATHS.settingsInbox, label: settings.inbox },
  { to: PATHS.settingsNotices, label: settings.notices },
  { to: PATHS.settingsPersonalData, label: settings.personalData },
  { to: PATHS.settingsRetention, label: settings.retention },
];

/** A side list of the settings' pages, beside one of them. On phones it is a row above. */
export function SettingsLayout({ children }: { readonly children: ReactNode }) {
  const { pathname } = useLocation();
  return (
    <div className={styles.layout}>
      <nav className={styles.pages} aria-label={settings.title}>
        {PAGES.map(({ to, label }) => (
          <Link key={to} to={to} aria-current={isCurrent({ to }, pathname) ? 'page' : undefined}>
            {label}
          </Link>
        ))}
      </nav>
      <div className={styles.page}>{children}</div>
    </div>
  );
}
