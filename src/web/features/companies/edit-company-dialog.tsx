import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CompanyDetail } from '#contract/companies.ts';
import { type CompanyForm, storedOf } from './company-form.ts';
import type { PathOf } from './company-link.ts';
import { companyQuery, reloadCompany } from './company-query.ts';
import { ConflictNotice } from './conflict-notice.tsx';
import { FormDialog } from './form-dialog.tsx';
import { type Group, saveCompany, type Undo } from './save-company.ts';
import { FORM_ERRORS, isChangedMeanwhile } from './server-faults.ts';
import { useCompanyForm } from './use-company-form.ts';
import { COMPANY_FORM_MESSAGES } from './words.ts';

interface Props {
  readonly company: CompanyDetail;
  readonly group: Group | undefined;
  readonly pathOf: PathOf;
  readonly onSaved: (undo: Undo) => void;
  readonly onClose: () => void;
}

interface Saving {
  readonly form: CompanyForm;
  readonly acknowledged: 0 | 1;
}

/** Edits a company. Where another person has changed it meanwhile, both values are shown before the next save. */
export function EditCompanyDialog({ company, group, pathOf, onSaved, onClose }: Props) {
  const client = useQueryClient();
  const { id } = company;
  const stored = useMemo(() => storedOf(company, group?.id), [company, group?.id]);
  const edited = useCompanyForm(id, stored);

  const { mutate, isPending, error, reset } = useMutation({
    meta: FORM_ERRORS,
    mutationFn: async ({ form, acknowledged }: Saving) => {
      let isHalfSaved = false;
      try {
        return await saveCompany(company, { form, stored, group, acknowledged }, () => {
          isHalfSaved = true;
        });
      } catch (failure) {
        // The company is saved and its remarks are not: the form continues from the saved company.
        if (isHalfSaved) {
          const fresh = await client.fetchQuery(companyQuery(id));
          // But not from remarks that it has not shown yet, if somebody else has changed them.
          const { remarks } = stored.form;
          const { version, form } = storedOf(fresh, group?.id);
          const base = { version, form: { ...form, remarks }, remarksVersion: stored.remarksVersion };
          notifyManager.schedule(() => edited.continueFrom(base));
        }
        throw failure;
      }
    },
    onSuccess: (undo) => {
      edited.discard();
      void reloadCompany(client, id);
      onSaved(undo);
    },
    onError: (refusal) => {
      if (isChangedMeanwhile(refusal)) void reloadCompany(client, id);
    },
  });

  const messages = COMPANY_FORM_MESSAGES.edit;
  return (
    <FormDialog
      title={messages.title}
      id={id}
      edited={edited}
      stored={stored.form}
      group={group}
      pathOf={pathOf}
      saveText={messages.save}
      similarText={COMPANY_FORM_MESSAGES.similar.save}
      busy={isPending}
      onSave={(acknowledged, handlers) => mutate({ form: edited.form, acknowledged }, handlers)}
      onClose={onClose}
      notice={
        <ConflictNotice
          theirs={edited.theirs}
          message={isChangedMeanwhile(error) ? error?.message : undefined}
          onLoad={() => {
            edited.discard();
            reset();
          }}
        />
      }
    />
  );
}
