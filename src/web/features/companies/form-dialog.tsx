import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import { useFaultFocus } from '#web/lib/focus-fault.ts';
import { keyText } from '#web/lib/keys.ts';
import { withNote } from '#web/lib/phrases.ts';
import { useDebounced } from '#web/lib/use-debounced.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { companyCheck } from './company-check.ts';
import { CompanyFields } from './company-fields.tsx';
import styles from './company-form.module.css';
import type { CompanyForm, Faults, FormField } from './company-form.ts';
import type { PathOf } from './company-link.ts';
import { AffectedMails, EmailNotes } from './mail-notes.tsx';
import type { Group } from './save-company.ts';
import { serverFaults } from './server-faults.ts';
import { SimilarNotice } from './similar-notice.tsx';
import type { EditedCompany } from './use-company-form.ts';
import { useLeaveQuestion } from './use-leave-question.tsx';
import { COMPANY_FORM_MESSAGES } from './words.ts';

/** A save of the form. @param acknowledged 1: the person has seen that another company has the name */
export type Save = (acknowledged: 0 | 1, handlers: { readonly onError: (error: Error) => void }) => void;

interface FormDialogProps {
  readonly title: string;
  /** The id of an edited company; undefined: a new one. */
  readonly id: number | undefined;
  readonly edited: EditedCompany;
  /** The stored name and address of an edited company, which are not compared with others. */
  readonly stored: CompanyForm;
  readonly group: Group | undefined;
  readonly pathOf: PathOf;
  readonly saveText: string;
  /** Saves although another company has the name. */
  readonly similarText: string;
  readonly busy: boolean;
  readonly onSave: Save;
  readonly onClose: () => void;
  /** Shown above the fields. */
  readonly notice?: ReactNode;
  /** A second button that saves. */
  readonly other?: { readonly text: string; readonly onSave: Save };
}

/** The dialog of adding and editing: fields, what the server knows about them, and the buttons. */
export function FormDialog(props: FormDialogProps) {
  const { edited, stored, group, busy, other } = props;
  const { form } = edited;
  const { faults, fields, change, save } = useFaults(props);
  const { close, question } = useLeaveQuestion(edited.name, props.onClose);
  const check = useCheck(props.id, form);
  const isNamed = form.company_name.trim() !== stored.company_name || form.address.trim() !== stored.address;
  const isMoved = props.id !== undefined && form.company_email.trim() !== stored.company_email;
  const saveKey = keyText('save');

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    save(props.onSave, 0);
  }

  return (
    <Dialog title={props.title} size={640} grows isSheet onClose={close}>
      <form onSubmit={submit} noValidate>
        {props.notice}
        <CompanyFields
          part={fields}
          form={form}
          faults={faults}
          groupName={group?.group_name}
          busy={busy}
          onChange={change}
          notes={{ company_email: <EmailNotes check={check} /> }}
        />
        <div className={styles.foot}>
          {isMoved && check !== undefined ? <AffectedMails affected={check.affected} /> : null}
          <SimilarNotice
            similar={isNamed ? (check?.similar ?? []) : []}
            pathOf={props.pathOf}
            button={props.similarText}
            onSave={() => save(props.onSave, 1)}
          />
          <div className={styles.buttons}>
            <Button onClick={close}>{COMMON_MESSAGES.actions.cancel}</Button>
            {other === undefined ? null : (
              <Button busy={busy} onClick={() => save(other.onSave, 0)}>
                {other.text}
              </Button>
            )}
            <Button
              type="submit"
              variant="primary"
              busy={busy}
              title={withNote(props.saveText, saveKey.shown)}
              aria-keyshortcuts={saveKey.aria}
            >
              {props.saveText}
            </Button>
          </div>
        </div>
      </form>
      {question}
    </Dialog>
  );
}

/** Holds the faults of the last save. A fault disappears when its field is changed. */
function useFaults({ edited, busy }: Pick<FormDialogProps, 'edited' | 'busy'>) {
  const [faults, setFaults] = useState<Faults>({});
  const fields = useRef<HTMLDivElement>(null);
  const focusFaults = useFaultFocus(fields);

  function refuse(found: Faults): void {
    setFaults(found);
    focusFaults();
  }

  return {
    faults,
    fields,
    change(field: FormField, value: string): void {
      edited.change(field, value);
      setFaults(({ [field]: _mended, ...others }) => others);
    },
    save(send: Save, acknowledged: 0 | 1): void {
      if (busy) return;
      if (edited.form.company_name.trim() === '') refuse({ company_name: COMPANY_FORM_MESSAGES.noName });
      else send(acknowledged, { onError: (error) => refuse(serverFaults(error)) });
    },
  };
}

/** Asks the server about what is being written, once the typing rests. */
function useCheck(id: number | undefined, { company_name, address, company_email }: CompanyForm) {
  const request = useDebounced(JSON.stringify({ id, company_name, address, company_email }));
  const isBlank = id === undefined && company_name.trim() === '' && company_email.trim() === '';
  const { data } = useQuery({ ...companyCheck(request), enabled: !isBlank });
  return isBlank ? undefined : data;
}
