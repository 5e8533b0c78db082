import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { SenderSettings } from '#web/features/sender-settings/sender-settings.tsx';
import { SENDER_SETTINGS_MESSAGES } from '#web/features/sender-settings/words.ts';
import { SettingsLayout } from './settings-layout.tsx';

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
        <SenderSettings isAdding={isAdding} onAdded={() => setAdding(false)} />
      </SettingsLayout>
    </PageFrame>
  );
}
