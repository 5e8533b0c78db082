import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, type SubmitEvent, useRef } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { useLeaveQuestion } from '#web/components/dialog/leave-guard.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { withNote } from '#web/lib/phrases.ts';
import { keyText } from '#web/lib/screen/keys.ts';
import { useDebounced } from '#web/lib/screen/use-debounced.ts';
import { AffectedMails, type CompanyCheck, typedCheck } from './company-check.tsx';
import { CompanyFields } from './company-fields.tsx';
import styles from './company-form.module.css';
import type { CompanyForm, FormField } from './company-form.ts';
import type { PathOf } from './company-link.ts';
import type { Group } from './save-company.ts';
import { SuppressionReply, suppressionText } from './suppression-reply.tsx';
import type { EditedCompany } from './use-company-form.ts';
import { COMPANY_FORM_MESSAGES } from './words.ts';

interface FormDialogProps {
  readonly title: string;
  /** The id of the edited company; undefined: a new company. */
  readonly id: number | undefined;
  readonly edited: EditedCompany;
  /** The stored name and address of the edited company, which need no check against other companies. */
  readonly stored: CompanyForm;
  readonly group: Group | undefined;
  readonly pathOf: PathOf;
  readonly saveText: string;
  /** The label of the button that saves although another company has the name. */
  readonly similarText: string;
  /** The field that gets the first focus. */
  readonly first?: FormField;
  readonly onClose: () => void;
  /** Shown above the fields. */
  readonly notice?: ReactNode;
  /** The label of the button that saves and keeps the dialog open. */
  readonly anotherText?: string;
}

/** Shows the dialog for adding or editing: fields, the server's hints about them, and the buttons. */
export function FormDialog(props: FormDialogProps) {
  const { edited, stored, group, anotherText } = props;
  const { element, form, faults, busy } = edited;
  const { close, question } = useLeaveQuestion({
    draft: edited.name,
    onClose: props.onClose,
    leaving: COMPANY_FORM_MESSAGES.leaving,
  });
  const check = useCheck(props.id, form);
  const isNamed = form.company_name.trim() !== stored.company_name || form.address.trim() !== stored.address;
  const similar = isNamed ? (check?.similar ?? []) : [];
  const { notice, saveNew } = useSaveNew(edited);
  const isMoved = props.id !== undefined && form.company_email.trim() !== stored.company_email;
  const saveKey = keyText('save');

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    saveNew(false);
  }

  return (
    // The form of a new company is short: a sheet would be half empty.
    <Dialog title={props.title} size={640} grows isSheet={props.id !== undefined} onClose={close}>
      <form ref={element} onSubmit={submit} noValidate>
        {props.notice}
        <CompanyFields
          form={form}
          stored={stored}
          faults={faults}
          groupName={group?.group_name}
          busy={busy}
          isShort={props.id === undefined}
          first={props.first ?? 'company_name'}
          onChange={(field, value) => edited.change({ [field]: value })}
          notes={{
            company_name: (
              <SimilarNotice
                notice={notice}
                similar={similar}
                busy={busy}
                pathOf={props.pathOf}
                button={props.similarText}
                onSave={() => edited.save({ acknowledged: 1 })}
              />
            ),
            company_email: <EmailNotes check={check} />,
          }}
        />
        <DialogFoot
          stay={<CancelButton onClick={close} />}
          others={
            anotherText !== undefined && (
              <Button busy={busy} onClick={() => saveNew(true)}>
                {anotherText}
              </Button>
            )
          }
          act={
            <Button
              type="submit"
              // The server refuses it while another company has the name: the button of the notice is filled then.
              variant={similar.length === 0 ? 'primary' : 'outline'}
              busy={busy}
              title={withNote(props.saveText, saveKey.shown)}
              aria-keyshortcuts={saveKey.aria}
            >
              {props.saveText}
            </Button>
          }
        >
          {isMoved && check !== undefined ? <AffectedMails {...check} /> : null}
        </DialogFoot>
      </form>
      {question}
    </Dialog>
  );
}

/** Returns the save of a company whose name no other has: if one has it, the notice about it gets the focus. */
function useSaveNew({ save, focusFaults }: EditedCompany) {
  const notice = useRef<HTMLDivElement>(null);
  const saveNew = (isAnother: boolean) =>
    save({ acknowledged: 0, isAnother }, (found) => {
      if (Object.keys(found).length === 0) notice.current?.focus();
      else focusFaults();
    });
  return { notice, saveNew };
}

/** Asks the server for hints about the typed company, when typing pauses. */
function useCheck(id: number | undefined, { company_name, address, company_email }: CompanyForm) {
  const isBlank = id === undefined && company_name.trim() === '' && company_email.trim() === '';
  const request = useDebounced(isBlank ? '' : JSON.stringify({ id, company_name, address, company_email }));
  const { data } = useQuery({ ...typedCheck('checkProspect', request), enabled: request !== '' });
  return isBlank ? undefined : data;
}

interface SimilarProps {
  readonly notice: RefObject<HTMLDivElement | null>;
  readonly similar: CompanyCheck['similar'];
  readonly pathOf: PathOf;
  /** The label of the button that saves anyway, and its handler. */
  readonly button: string;
  readonly busy: boolean;
  readonly onSave: () => void;
}

/** Names companies with the same name. The server decides whether a second one is permitted. */
function SimilarNotice({ notice, similar, pathOf, button, busy, onSave }: SimilarProps) {
  if (similar.length === 0) return null;
  const messages = COMPANY_FORM_MESSAGES.similar;
  return (
    <Notice
      ref={notice}
      className={styles.similar ?? ''}
      tone="warning"
      role="status"
      tabIndex={-1}
      act={
        <Button variant="primary" busy={busy} onClick={onSave}>
          {button}
        </Button>
      }
    >
      <strong>{messages.title}</strong>
      <ul>
        {similar.map(({ id, company_name, address, archived }) => (
          <li key={id}>
            <bdi>{address === null ? company_name : withNote(company_name, address)}</bdi>
            {archived === 1 ? ` ${messages.archived}` : null}{' '}
            {/* In a new tab, so that no input is lost. Without noopener the tab starts with a copy of this session. */}
            {/* biome-ignore lint/security/noBlankTarget: the link leads to our own page */}
            <a href={pathOf(id)} target="_blank" rel="opener" aria-label={messages.openOf(company_name)}>
              <span className="finger">{messages.open}</span>
            </a>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** Shows whether the address is suppressed, and who else has it. */
function EmailNotes({ check }: { readonly check: CompanyCheck | undefined }) {
  if (check === undefined) return null;
  const { suppressed, sharing, sharing_total } = check;
  const [first] = sharing;
  const messages = COMPANY_FORM_MESSAGES;
  return (
    <div role="status">
      {suppressed === null ? null : (
        <p className="note" data-state="look">
          {suppressed.class === 'undeliverable' ? messages.dead : messages.suppressed(suppressionText(suppressed))}
          <SuppressionReply suppressed={suppressed} />
        </p>
      )}
      {first === undefined ? null : (
        <p className="note">
          {sharing_total === 1
            ? messages.sharing(first.company_name)
            : messages.sharingMany(first.company_name, sharing_total - 1)}
        </p>
      )}
    </div>
  );
}
