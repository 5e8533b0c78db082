import { PageFrame } from '#web/components/page-frame.tsx';
import { InboxSettings } from '#web/features/inbox/inbox-settings.tsx';
import { INBOX_MESSAGES } from '#web/features/inbox/words.ts';
import { SettingsLayout } from './settings-layout.tsx';

export function Component() {
  return (
    <PageFrame title={INBOX_MESSAGES.title} help={INBOX_MESSAGES.help} guide="inbox">
      <SettingsLayout>
        <InboxSettings />
      </SettingsLayout>
    </PageFrame>
  );
}
