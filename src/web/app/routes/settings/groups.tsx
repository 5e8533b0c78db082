import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { StatusBadge } from '#web/components/inline/status-badge.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { domainList } from '#web/features/domain-health/domain-query.ts';
import { DomainMark } from '#web/features/domain-health/order/domain-mark.tsx';
import { legalProfiles } from '#web/features/legal-profile/legal-query.ts';
import { SenderSettings } from '#web/features/senders/settings/sender-settings.tsx';
import { senderSettings } from '#web/features/senders/settings/settings-query.ts';
import { SENDER_SETTINGS_MESSAGES } from '#web/features/senders/settings/words.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { May } from '#web/lib/session/use-may.ts';
import styles from '../../settings/settings-layout.module.css';
import { SettingsLayout } from '../../settings/settings-layout.tsx';
import { APP_MESSAGES } from '../../words.ts';

const markOf = (address: string) => <DomainMark address={address} to={PATHS.settingsDomains} />;

export function Component() {
  const [isAdding, setAdding] = useState(false);
  return (
    <PageFrame
      title={SENDER_SETTINGS_MESSAGES.title}
      help={SENDER_SETTINGS_MESSAGES.help}
      guide="senders"
      action={
        <May call="addSenderGroup">
          <Button variant="primary" onClick={() => setAdding(true)}>
            {SENDER_SETTINGS_MESSAGES.addGroup}
          </Button>
        </May>
      }
    >
      <SettingsLayout>
        <SendingState />
        <SenderSettings markOf={markOf} isAdding={isAdding} onAdded={() => setAdding(false)} />
      </SettingsLayout>
    </PageFrame>
  );
}

const { settings: messages } = APP_MESSAGES;

const inUse = ({ active }: { readonly active: 0 | 1 }): boolean => active === 1;

/** Whether all rows of a part are complete; undefined: not loaded, or no rows. */
const standOf = <Row,>(rows: readonly Row[] | undefined, stands: (row: Row) => boolean): boolean | undefined =>
  rows === undefined || rows.length === 0 ? undefined : rows.every(stands);

/** Shows what real mails need, and which of it is complete. The settings begin with it. */
function SendingState() {
  const quiet = { meta: { quiet: true } };
  const legal = useQuery({ ...legalProfiles, ...quiet }).data;
  const profiles = useQuery({ ...senderSettings, ...quiet }).data?.profiles;
  const domains = useQuery({ ...domainList, ...quiet }).data;
  const parts = [
    {
      to: PATHS.settingsLegal,
      label: messages.legal,
      stands: standOf(legal?.filter(inUse), ({ ready }) => ready === 1),
    },
    {
      to: PATHS.settingsGroups,
      label: messages.senders,
      stands: standOf(profiles?.filter(inUse), ({ is_confirmed }) => is_confirmed === 1),
    },
    {
      to: PATHS.settingsDomains,
      label: messages.domainState,
      stands: domains?.some(({ state }) => state === 'bad')
        ? false
        : standOf(domains, ({ state }) => state === 'good') || undefined,
    },
  ];
  return (
    <ul className={`surface ${styles.state}`} aria-label={messages.state}>
      {parts.map(({ to, label, stands }) => (
        <li key={label}>
          <Link to={to}>{label}</Link>
          <StatusBadge {...STANDS[`${stands}`]} />
        </li>
      ))}
    </ul>
  );
}

const STANDS = {
  true: { look: { tone: 'green', Icon: IconCheck }, word: messages.states.good },
  false: { look: { tone: 'red', Icon: IconAlertTriangle }, word: messages.states.bad },
  undefined: { look: { tone: 'neutral', Icon: IconClock }, word: messages.states.unknown },
} as const;
