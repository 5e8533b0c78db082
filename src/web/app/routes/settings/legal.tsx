import { PageFrame } from '#web/components/page-frame.tsx';
import { LegalSettings } from '#web/features/legal-profile/legal-settings.tsx';
import { LEGAL_MESSAGES } from '#web/features/legal-profile/words.ts';
import { LEGAL } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { SettingsLayout } from '../../settings/settings-layout.tsx';

export function Component() {
  const [{ group }, change] = useAddress(LEGAL);
  return (
    <PageFrame title={LEGAL_MESSAGES.title} help={LEGAL_MESSAGES.help} guide="legal">
      <SettingsLayout>
        <LegalSettings groupId={group} onGroup={(id) => change({ group: id })} groupsPath={PATHS.settingsGroups} />
      </SettingsLayout>
    </PageFrame>
  );
}
