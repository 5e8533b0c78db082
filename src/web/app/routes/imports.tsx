import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { ImportList } from '#web/features/imports/import-list.tsx';
import { IMPORT_MESSAGES } from '#web/features/imports/words.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { APP_MESSAGES } from '../words.ts';

export function Component() {
  const start = (
    <ButtonLink variant="primary" to={PATHS.newImport}>
      {APP_MESSAGES.importCompanies}
    </ButtonLink>
  );
  return (
    <PageFrame title={IMPORT_MESSAGES.history} action={start} guide="import">
      <ImportList cure={start} />
    </PageFrame>
  );
}
