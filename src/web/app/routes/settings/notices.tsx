import { PageFrame } from '#web/components/page-frame.tsx';
import { NoticeSettings } from '#web/features/notices/notice-settings.tsx';
import { NOTICE_MESSAGES } from '#web/features/notices/words.ts';
import { SettingsLayout } from '../../settings/settings-layout.tsx';

export function Component() {
  return (
    <PageFrame title={NOTICE_MESSAGES.title} help={NOTICE_MESSAGES.help} guide="notices">
      <SettingsLayout>
        <NoticeSettings />
      </SettingsLayout>
    </PageFrame>
  );
}
