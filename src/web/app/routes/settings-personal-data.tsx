import { PageFrame } from '#web/components/page-frame.tsx';
import { PersonalData } from '#web/features/personal-data/personal-data.tsx';
import { RetentionSettings } from '#web/features/retention/retention-settings.tsx';
import { SettingsLayout } from '../settings/settings-layout.tsx';
import { APP_MESSAGES } from '../words.ts';

/** Shows what is stored about people, and for how long. */
export function Component() {
  return (
    <PageFrame title={APP_MESSAGES.settings.personalData} guide="personal-data">
      <SettingsLayout>
        <PersonalData />
        <RetentionSettings />
      </SettingsLayout>
    </PageFrame>
  );
}
