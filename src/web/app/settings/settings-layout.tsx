import { type ReactNode, useId } from 'react';
import field from '#web/components/field/field.module.css';
import { SelectField } from '#web/components/field/select-field.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useLocation, useNavigate } from '#web/lib/router/use-router.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { isCurrent } from '../navigation.ts';
import { APP_MESSAGES } from '../words.ts';
import styles from './settings-layout.module.css';

const { settings } = APP_MESSAGES;

interface Page {
  readonly to: string;
  readonly label: string;
  /** Only who may make this call sees the entry. */
  readonly call?: 'updateAccountRule' | 'viewAudit';
}

interface Group {
  readonly heading: string;
  readonly pages: readonly Page[];
}

/** The settings pages in order. A new page is one entry here. */
const GROUPS: readonly Group[] = [
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

/** Returns the pages that the member may see. */
function useGroups(): readonly Group[] {
  const may = { updateAccountRule: useMay('updateAccountRule'), viewAudit: useMay('viewAudit') };
  const isOffered = ({ call }: Page) => call === undefined || may[call];
  return GROUPS.map(({ heading, pages }) => ({ heading, pages: pages.filter(isOffered) }));
}

/** Shows a settings page beside the list of all of them; on phones a select above it has them. */
export function SettingsLayout({ children }: { readonly children: ReactNode }) {
  const { pathname } = useLocation();
  const groups = useGroups();
  const Pages = useNarrowScreen() ? PageSelect : PageList;
  return (
    <div className={styles.layout}>
      <nav className={styles.pages} aria-label={settings.title}>
        <Pages groups={groups} pathname={pathname} />
      </nav>
      <div className={styles.page}>{children}</div>
    </div>
  );
}

interface Props {
  readonly groups: readonly Group[];
  readonly pathname: string;
}

function PageList({ groups, pathname }: Props) {
  const id = useId();
  return groups.map(({ heading, pages }) => (
    <section key={heading} aria-labelledby={`${id}${heading}`}>
      <h2 id={`${id}${heading}`}>{heading}</h2>
      {pages.map((page) => (
        <Link key={page.to} to={page.to} aria-current={isCurrent(page, pathname) ? 'page' : undefined}>
          {page.label}
        </Link>
      ))}
    </section>
  ));
}

function PageSelect({ groups, pathname }: Props) {
  const navigate = useNavigate();
  const choices = groups.flatMap(({ heading, pages }) =>
    pages.map(({ to, label }) => ({ value: to, label, group: heading })),
  );
  const here = choices.find(({ value }) => isCurrent({ to: value }, pathname));
  return (
    <SelectField
      label={settings.title}
      className={field.inline}
      // A link may lead to a page that the member may not see.
      choices={here === undefined ? [{ value: '', label: '' }, ...choices] : choices}
      value={here?.value ?? ''}
      onChange={(to) => void navigate(to)}
    />
  );
}
