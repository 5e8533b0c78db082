import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { Button } from '#web/components/button.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { labelOf, storedOf } from './company-form.ts';
import type { PathOf } from './company-link.ts';
import { companyQuery, reloadCompany } from './company-query.ts';
import { FormDialog } from './form-dialog.tsx';
import { type Group, saveCompany, type Undo } from './save-company.ts';
import { type EditedCompany, useCompanyForm, useRemarksGroup } from './use-company-form.ts';
import { COMPANY_FORM_MESSAGES } from './words.ts';

interface Props {
  readonly company: CompanyDetail;
  readonly group: Group | undefined;
  readonly pathOf: PathOf;
  /** Whether it opens for another address. */
  readonly mends?: boolean;
  readonly onSaved: (undo: Undo) => void;
  readonly onClose: () => void;
}

/** Edits a company. If another person has changed it meanwhile, both values are shown before the next save. */
export function EditCompanyDialog({ company, pathOf, mends = false, onSaved, onClose, ...props }: Props) {
  const client = useQueryClient();
  const group = useRemarksGroup(props.group);
  const { id } = company;
  const stored = useMemo(() => storedOf(company, group?.id), [company, group?.id]);
  const edited: EditedCompany = useCompanyForm({
    id,
    stored,
    send: async (form, { acknowledged }) => {
      let isHalfSaved = false;
      try {
        return await saveCompany(company, { form, stored: stored.form, group, acknowledged }, () => {
          isHalfSaved = true;
        });
      } catch (failure) {
        // The company is saved and its remarks are not: continue from the saved company.
        if (isHalfSaved) {
          const saved = storedOf(await client.fetchQuery(companyQuery(id)), group?.id).form;
          // Keep the shown remarks as the base, if somebody else has changed the stored ones unseen.
          const base = { version: stored.version, form: { ...saved, remarks: stored.form.remarks } };
          notifyManager.schedule(() => edited.continueFrom(base));
        }
        throw failure;
      }
    },
    onSaved: (undo) => {
      void reloadCompany(client, id);
      onSaved(undo);
    },
  });

  const messages = COMPANY_FORM_MESSAGES.edit;
  const theirs = edited.theirs.map(({ field, theirs: value }) => ({ label: labelOf(field), value }));
  return (
    <FormDialog
      title={messages.title}
      id={id}
      edited={edited}
      stored={stored.form}
      group={group}
      pathOf={pathOf}
      first={mends ? 'company_email' : 'company_name'}
      saveText={messages.save}
      similarText={COMPANY_FORM_MESSAGES.similar.save}
      onClose={onClose}
      notice={
        <TheirChanges message={edited.conflict} theirs={theirs}>
          <Button onClick={edited.discard}>{COMMON_MESSAGES.theirChanges.load}</Button>
        </TheirChanges>
      }
    />
  );
}
