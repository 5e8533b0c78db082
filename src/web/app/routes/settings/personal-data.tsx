import { PageFrame } from '#web/components/page-frame.tsx';
import { PersonalData } from '#web/features/personal-data/personal-data.tsx';
import { PERSONAL_DATA_MESSAGES } from '#web/features/personal-data/words.ts';
import { RetentionSettings } from '#web/features/retention/retention-settings.tsx';
import { May } from '#web/lib/session/use-may.ts';
import { SettingsLayout } from '../../settings/settings-layout.tsx';
import { APP_MESSAGES } from '../../words.ts';

/** Shows what is stored about people, and for how long. */
export function Component() {
  return (
    <PageFrame title={APP_MESSAGES.settings.personalData} help={PERSONAL_DATA_MESSAGES.pageHelp} guide="personal-data">
      <SettingsLayout>
        <May call="viewPersonalData">
          <PersonalData />
        </May>
        <RetentionSettings />
      </SettingsLayout>
    </PageFrame>
  );
}
