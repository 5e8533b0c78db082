import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { SampleLink } from '#web/components/inline/sample-link.tsx';
import { AddSamples } from '#web/features/first-steps/samples/sample-companies.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { May } from '#web/lib/session/use-may.ts';
import { APP_MESSAGES } from '../words.ts';

interface ListCureProps {
  readonly onAdd: () => void;
}

/** Shows the buttons that fill an empty list of companies. */
export const ListCure = ({ onAdd }: ListCureProps) => (
  <May call="createProspect">
    <ButtonLink variant="primary" to={PATHS.newImport}>
      {APP_MESSAGES.importCompanies}
    </ButtonLink>
    <Button aria-haspopup="dialog" onClick={onAdd}>
      {APP_MESSAGES.addCompany}
    </Button>
    <AddSamples />
    <SampleLink />
  </May>
);
