import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { DomainMark } from '#web/features/domain-health/domain-mark.tsx';
import { SenderSettings } from '#web/features/senders/settings/sender-settings.tsx';
import { SENDER_SETTINGS_MESSAGES } from '#web/features/senders/settings/words.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { SettingsLayout } from './settings-layout.tsx';

const markOf = (address: string) => <DomainMark address={address} to={PATHS.settingsDomains} />;

export function Component() {
  const [isAdding, setAdding] = useState(false);
  return (
    <PageFrame
      title={SENDER_SETTINGS_MESSAGES.title}
      help={SENDER_SETTINGS_MESSAGES.help}
      guide="senders"
      action={
        <Button variant="primary" onClick={() => setAdding(true)}>
          {SENDER_SETTINGS_MESSAGES.addGroup}
        </Button>
      }
    >
      <SettingsLayout>
        <SenderSettings markOf={markOf} isAdding={isAdding} onAdded={() => setAdding(false)} />
      </SettingsLayout>
    </PageFrame>
  );
}
