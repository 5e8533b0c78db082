import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/button-link.tsx';
import { SampleLink } from '#web/components/sample-link.tsx';
import { PATHS } from '../paths.ts';
import { APP_MESSAGES } from '../words.ts';

/** What fills an empty list of companies. */
export const ListCure = ({ onAdd }: { readonly onAdd: () => void }) => (
  <>
    <ButtonLink variant="primary" to={PATHS.newImport}>
      {APP_MESSAGES.importCompanies}
    </ButtonLink>
    <Button aria-haspopup="dialog" onClick={onAdd}>
      {APP_MESSAGES.addCompany}
    </Button>
    <SampleLink />
  </>
);
