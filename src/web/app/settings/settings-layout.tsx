import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { PATHS } from '#web/lib/address/paths.ts';
import type { CallName } from '#web/lib/api/call.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useLocation } from '#web/lib/router/use-router.ts';
import { May } from '#web/lib/session/use-may.ts';
import { isCurrent } from '../navigation.ts';
import { APP_MESSAGES } from '../words.ts';
import styles from './settings-layout.module.css';

const { settings } = APP_MESSAGES;

interface Page {
  readonly to: string;
  readonly label: string;
  /** Only who may make this call sees the entry. */
  readonly call?: CallName;
}

/** The settings pages in order. A new page is one entry here. */
const GROUPS: readonly { readonly heading: string; readonly pages: readonly Page[] }[] = [
  {
    heading: settings.headings.sending,
    pages: [
      { to: PATHS.settingsGroups, label: settings.groups },
      { to: PATHS.settingsMailboxes, label: settings.mailboxes },
      { to: PATHS.settingsLegal, label: settings.legal },
      { to: PATHS.settingsSending, label: settings.rules },
      { to: PATHS.settingsDomains, label: settings.domains },
    ],
  },
  {
    heading: settings.headings.team,
    pages: [
      { to: PATHS.settingsMembers, label: settings.members },
      { to: PATHS.settingsAudit, label: settings.audit, call: 'viewAudit' },
      { to: PATHS.settingsLoginRules, label: settings.loginRules, call: 'updateAccountRule' },
    ],
  },
  {
    heading: settings.headings.data,
    pages: [
      { to: PATHS.settingsFields, label: settings.fields },
      { to: PATHS.settingsPersonalData, label: settings.personalData },
    ],
  },
  { heading: settings.headings.people, pages: [{ to: PATHS.settingsNotices, label: settings.notices }] },
];

/** Scrolls a row so that the whole entry is visible. */
function center(row: HTMLElement, entry: HTMLElement): void {
  row.scrollLeft = entry.offsetLeft - (row.clientWidth - entry.offsetWidth) / 2;
}

function Entry({ to, label, call, isHere }: Page & { readonly isHere: boolean }) {
  const link = (
    <Link to={to} aria-current={isHere ? 'page' : undefined}>
      {label}
    </Link>
  );
  return call === undefined ? link : <May call={call}>{link}</May>;
}

/** Shows a settings page beside the list of all of them; on phones the list is a row above. */
export function SettingsLayout({ children }: { readonly children: ReactNode }) {
  const { pathname } = useLocation();
  const id = useId();
  const nav = useRef<HTMLElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each page is another entry
  useLayoutEffect(() => {
    const entry = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current && entry) center(nav.current, entry);
  }, [pathname]);

  return (
    <div className={styles.layout}>
      <nav
        ref={nav}
        className={styles.pages}
        aria-label={settings.title}
        // Browsers can leave the focused entry half outside.
        onFocus={({ currentTarget, target }) => center(currentTarget, target)}
      >
        {GROUPS.map(({ heading, pages }) => (
          <section key={heading} aria-labelledby={`${id}${heading}`}>
            <h2 id={`${id}${heading}`}>{heading}</h2>
            {pages.map((page) => (
              <Entry key={page.to} {...page} isHere={isCurrent(page, pathname)} />
            ))}
          </section>
        ))}
      </nav>
      <div className={styles.page}>{children}</div>
    </div>
  );
}
