import { PageFrame } from '#web/components/page-frame.tsx';
import { RetentionSettings } from '#web/features/retention/retention-settings.tsx';
import { RETENTION_MESSAGES } from '#web/features/retention/words.ts';
import { SettingsLayout } from './settings-layout.tsx';

export function Component() {
  return (
    <PageFrame title={RETENTION_MESSAGES.title} help={RETENTION_MESSAGES.help} guide="retention">
      <SettingsLayout>
        <RetentionSettings />
      </SettingsLayout>
    </PageFrame>
  );
}
