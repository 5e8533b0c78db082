import { PageFrame } from '#web/components/page-frame.tsx';
import { LegalSettings } from '#web/features/legal-profile/legal-settings.tsx';
import { LEGAL_MESSAGES } from '#web/features/legal-profile/words.ts';
import { readId } from '#web/lib/list-params.ts';
import { useSearchParams } from '#web/lib/router/use-router.ts';
import { changedSearch } from '#web/lib/search-params.ts';
import { GROUP, PATHS } from '../paths.ts';
import { SettingsLayout } from './settings-layout.tsx';

export function Component() {
  const [search, setSearch] = useSearchParams();
  return (
    <PageFrame title={LEGAL_MESSAGES.title} help={LEGAL_MESSAGES.help} guide="legal">
      <SettingsLayout>
        <LegalSettings
          groupId={readId(search.get(GROUP))}
          onGroup={(id) => setSearch((before) => changedSearch(before, { [GROUP]: id }), { replace: true })}
          groupsPath={PATHS.settingsGroups}
        />
      </SettingsLayout>
    </PageFrame>
  );
}
