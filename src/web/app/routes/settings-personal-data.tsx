import { PageFrame } from '#web/components/page-frame.tsx';
import { PersonalData } from '#web/features/personal-data/personal-data.tsx';
import { PERSONAL_DATA_MESSAGES } from '#web/features/personal-data/words.ts';
import { SettingsLayout } from './settings-layout.tsx';

export function Component() {
  return (
    <PageFrame title={PERSONAL_DATA_MESSAGES.title} help={PERSONAL_DATA_MESSAGES.help} guide="personal-data">
      <SettingsLayout>
        <PersonalData />
      </SettingsLayout>
    </PageFrame>
  );
}
