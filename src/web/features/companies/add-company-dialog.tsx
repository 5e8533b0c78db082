import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toast } from '#web/lib/toast.ts';
import { useOnceKey } from '#web/lib/use-once-key.ts';
import { type CompanyForm, EMPTY_FORM, NEW_COMPANY } from './company-form.ts';
import type { PathOf } from './company-link.ts';
import { reloadCompany } from './company-query.ts';
import { FormDialog, type Save } from './form-dialog.tsx';
import { addCompany, type Group } from './save-company.ts';
import { FORM_ERRORS } from './server-faults.ts';
import { useCompanyForm } from './use-company-form.ts';
import { COMPANY_FORM_MESSAGES, COMPANY_MESSAGES } from './words.ts';

interface Props {
  /** The group whose remarks are entered; undefined: there is none. */
  readonly group: Group | undefined;
  readonly pathOf: PathOf;
  /** A company was added, and the dialog should close. */
  readonly onAdded: (id: number) => void;
  readonly onClose: () => void;
}

interface Adding {
  readonly form: CompanyForm;
  readonly acknowledged: 0 | 1;
  /** The dialog stays open for the next company. */
  readonly isAnother: boolean;
}

/** Adds companies one by one. */
export function AddCompanyDialog({ group, pathOf, onAdded, onClose }: Props) {
  const client = useQueryClient();
  const edited = useCompanyForm(undefined, NEW_COMPANY);
  const { keyOf } = useOnceKey();
  const { mutate, isPending } = useMutation({
    meta: FORM_ERRORS,
    mutationFn: ({ form, acknowledged }: Adding) => addCompany(form, group, acknowledged, keyOf),
    onSuccess: (id, { form, isAnother }) => {
      toast('success', COMPANY_MESSAGES.added(form.company_name.trim()));
      edited.discard();
      void reloadCompany(client, id);
      if (isAnother) document.querySelector<HTMLElement>('[role="dialog"] [data-autofocus]')?.focus();
      else onAdded(id);
    },
  });
  const save =
    (isAnother: boolean): Save =>
    (acknowledged, handlers) =>
      mutate({ form: edited.form, acknowledged, isAnother }, handlers);
  const messages = COMPANY_FORM_MESSAGES.add;
  return (
    <FormDialog
      title={messages.title}
      id={undefined}
      edited={edited}
      stored={EMPTY_FORM}
      group={group}
      pathOf={pathOf}
      saveText={messages.save}
      similarText={COMPANY_FORM_MESSAGES.similar.add}
      busy={isPending}
      onSave={save(false)}
      onClose={onClose}
      other={{ text: messages.saveAnother, onSave: save(true) }}
    />
  );
}
