import { PageFrame } from '#web/components/page-frame.tsx';
import { DomainSettings } from '#web/features/domain-health/domain-settings.tsx';
import { DOMAIN_MESSAGES } from '#web/features/domain-health/words.ts';
import { InboxSettings } from '#web/features/inbox/inbox-settings.tsx';
import { SettingsLayout } from '../../settings/settings-layout.tsx';
import { APP_MESSAGES } from '../../words.ts';

/** Shows the settings for sending and for returned mails, which both depend on the domain. */
export function Component() {
  return (
    <PageFrame title={APP_MESSAGES.settings.domains} help={DOMAIN_MESSAGES.help} guide="domains">
      <SettingsLayout>
        <DomainSettings />
        <InboxSettings />
      </SettingsLayout>
    </PageFrame>
  );
}
