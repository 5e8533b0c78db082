import { lazy, useState } from 'react';
import type { CompanyDetail } from '#contract/companies.ts';
import { Button } from '#web/components/button.tsx';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { SuppressionNote } from '#web/features/suppressions/suppression-note.tsx';
import { SUPPRESSION_ADD_MESSAGES } from '#web/features/suppressions/words.ts';
import { loadPart } from '#web/lib/load-part.ts';

const AddDialog = lazy(() => loadPart(() => import('#web/features/suppressions/add-dialog.tsx')));

/** Why a company gets no mail, or the act that has it get none. */
export function CompanySuppression({ company: { company_email, suppressed } }: { readonly company: CompanyDetail }) {
  const [isOpen, setOpen] = useState(false);
  if (company_email === null || company_email === '') return null;
  if (suppressed !== null) return <SuppressionNote notice={suppressed} address={company_email} />;
  return (
    <div>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {SUPPRESSION_ADD_MESSAGES.addCompany}
      </Button>
      <PartBoundary>
        {isOpen ? <AddDialog address={company_email} onClose={() => setOpen(false)} /> : null}
      </PartBoundary>
    </div>
  );
}
