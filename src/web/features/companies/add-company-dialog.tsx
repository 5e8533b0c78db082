import { useQueryClient } from '@tanstack/react-query';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { EMPTY_FORM, NEW_COMPANY } from './company-form.ts';
import type { PathOf } from './company-link.ts';
import { reloadCompany } from './company-query.ts';
import { FormDialog } from './form-dialog.tsx';
import { addCompany, type Group } from './save-company.ts';
import { useCompanyForm, useRemarksGroup } from './use-company-form.ts';
import { COMPANY_FORM_MESSAGES, COMPANY_MESSAGES } from './words.ts';

interface Props {
  /** The group whose remarks can be entered; undefined: none. */
  readonly group: Group | undefined;
  readonly pathOf: PathOf;
  /** Called when a company was added and the dialog should close. */
  readonly onAdded: (id: number) => void;
  readonly onClose: () => void;
}

/** Adds companies one by one. */
export function AddCompanyDialog({ pathOf, onAdded, onClose, ...props }: Props) {
  const group = useRemarksGroup(props.group);
  const client = useQueryClient();
  const { keyOf } = useOnceKey();
  const edited = useCompanyForm({
    id: undefined,
    stored: NEW_COMPANY,
    send: (form, { acknowledged }) => addCompany(form, group, acknowledged, keyOf),
    onSaved: (id, { company_name }, { isAnother }) => {
      toast('success', COMPANY_MESSAGES.added(company_name.trim()));
      void reloadCompany(client, id);
      if (isAnother) document.querySelector<HTMLElement>('[aria-modal] [data-autofocus]')?.focus();
      else onAdded(id);
    },
  });
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
      onClose={onClose}
      anotherText={messages.saveAnother}
    />
  );
}
