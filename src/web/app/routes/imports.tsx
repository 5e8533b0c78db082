import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { ImportList } from '#web/features/imports/import-list.tsx';
import { IMPORT_MESSAGES } from '#web/features/imports/words.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { May } from '#web/lib/session/use-may.ts';
import { APP_MESSAGES } from '../words.ts';

export function Component() {
  const start = (
    <May call="startImport">
      <ButtonLink variant="primary" to={PATHS.newImport}>
        {APP_MESSAGES.importCompanies}
      </ButtonLink>
    </May>
  );
  return (
    <PageFrame title={IMPORT_MESSAGES.history} action={start} guide="import">
      <ImportList cure={start} />
    </PageFrame>
  );
}
