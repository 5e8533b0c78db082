import { PageFrame } from '#web/components/page-frame.tsx';
import { DomainSettings } from '#web/features/domain-health/domain-settings.tsx';
import { DOMAIN_MESSAGES } from '#web/features/domain-health/words.ts';
import { SettingsLayout } from './settings-layout.tsx';

export function Component() {
  return (
    <PageFrame title={DOMAIN_MESSAGES.title} help={DOMAIN_MESSAGES.help} guide="domains">
      <SettingsLayout>
        <DomainSettings />
      </SettingsLayout>
    </PageFrame>
  );
}
