import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { Button } from '#web/components/button.tsx';
import styles from './company.module.css';
import { reloadCompany } from './company-query.ts';
import { type Undo, undoSave } from './save-company.ts';
import { COMPANY_MESSAGES } from './words.ts';

interface SavedLineProps {
  readonly company: CompanyDetail;
  readonly undo: Undo | null;
  readonly onUndone: () => void;
}

/** Reports an edit, with a button that undoes it. Unlike a toast, it stays until the next edit or another company. */
export function SavedLine({ company: { id, company_name }, undo, onUndone }: SavedLineProps) {
  const client = useQueryClient();
  const [isUndone, setUndone] = useState(false);
  const { mutate, isPending } = useMutation({
    mutationFn: (saved: Undo) => undoSave(id, saved),
    onSuccess: () => {
      setUndone(true);
      onUndone();
    },
    // Somebody else may have changed the company meanwhile: show the stored one.
    onSettled: () => reloadCompany(client, id),
  });
  if (undo !== null && isUndone) setUndone(false);
  return (
    <div className={styles.saved} role="status">
      {isUndone ? <p className="row tint">{COMPANY_MESSAGES.undone}</p> : null}
      {undo === null ? null : (
        <p className="row tint">
          {COMPANY_MESSAGES.saved(company_name)}
          <Button variant="quiet" busy={isPending} onClick={() => mutate(undo)}>
            {COMPANY_MESSAGES.undo}
          </Button>
        </p>
      )}
    </div>
  );
}
