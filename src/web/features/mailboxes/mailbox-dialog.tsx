import { type ReactNode, type SubmitEvent, useState } from 'react';
import { MAILBOX_KIND_NAMES } from '#contract/senders/mailboxes-names.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { useLeaveQuestion } from '#web/components/dialog/leave-guard.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import type { Mailbox } from '#web/lib/data/mailboxes.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { CheckDialog } from './check-dialog.tsx';
import { CheckSteps } from './check-steps.tsx';
import { CheckedDialog } from './checked-dialog.tsx';
import { CONSENT_MESSAGES } from './consent/words.ts';
import { DisconnectDialog } from './disconnect-dialog.tsx';
import { KindField, LimitFields, NameFields, ReadFields, ServerFields, SharedField } from './form-fields.tsx';
import { changesOf, type FormAct, formOf, type MailboxForm, needsCheck, shownValues } from './mailbox-form.ts';
import { stateNotice } from './mailbox-state.ts';
import styles from './mailboxes.module.css';
import { OtherAddresses } from './other-addresses.tsx';
import { type EditedMailbox, useMailboxForm } from './use-mailbox-form.ts';
import { MAILBOX_FORM_MESSAGES as messages } from './words.ts';

/** The acts on a mailbox that open a dialog. */
export type MailboxAct = FormAct | 'check' | 'connected' | 'disconnect';

interface Props {
  readonly act: MailboxAct;
  /** null: a new mailbox. */
  readonly mailbox: Mailbox | null;
  /** The form of a new mailbox. */
  readonly blank: MailboxForm;
  readonly onClose: () => void;
}

/** Shows the dialog of an act on a mailbox. */
export default function MailboxDialog({ act, mailbox, blank, onClose }: Props) {
  if (act === 'check' || act === 'connected') {
    return mailbox && <CheckDialog mailbox={mailbox} isNew={act === 'connected'} onClose={onClose} />;
  }
  if (act === 'disconnect') return mailbox && <DisconnectDialog mailbox={mailbox} onClose={onClose} />;
  return <FormDialog act={act} stored={mailbox} blank={blank} onClose={onClose} />;
}

interface FormProps extends Pick<Props, 'blank' | 'onClose'> {
  readonly act: FormAct;
  readonly stored: Mailbox | null;
}

/** Asks for a mailbox, and then shows the check of its connection. */
function FormDialog({ act, stored, blank: given, onClose }: FormProps) {
  // The list reloads while the dialog is open.
  const [blank] = useState(given);
  const edited = useMailboxForm({ act, stored, blank, onSaved: onClose });
  const { element, busy, problem, conflict, theirs, isChecking, checked, outcome } = edited;
  const { close, question } = useLeaveQuestion({ draft: edited.name, onClose, closing: messages.discarding });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    edited.save();
  }

  if (question !== null) return question;
  if (outcome?.checked) return <CheckedDialog {...outcome} checked={outcome.checked} onClose={onClose} />;
  return (
    <Dialog title={messages.titles[act]} size={640} isSheet onClose={() => busy || close()}>
      <form ref={element} onSubmit={submit} noValidate>
        {isChecking ? <CheckSteps checked={undefined} /> : null}
        {/* Kept, so that a fault finds all that was typed. */}
        <div className="stack" hidden={isChecking}>
          {problem === undefined ? null : (
            <Notice tone="bad" role="alert">
              {problem}
            </Notice>
          )}
          <TheirChanges message={conflict} theirs={shownValues(theirs)}>
            <Button onClick={edited.discard}>{COMMON_MESSAGES.theirChanges.load}</Button>
          </TheirChanges>
          <Fields edited={edited} act={act} stored={stored} />
          {checked === undefined ? null : (
            <div className={styles.group}>
              <CheckSteps checked={checked} />
            </div>
          )}
        </div>
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={() => busy || close()} />}
          act={
            <Button type="submit" variant="primary" busy={busy}>
              {actName(act, stored, edited)}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}

/** Whether a save is followed by a check. */
const leadsToCheck = (act: FormAct, stored: Mailbox | null, { form, password }: EditedMailbox): boolean =>
  act !== 'edit' || (stored !== null && needsCheck(changesOf(form, formOf(stored), password, act)));

function actName(act: FormAct, stored: Mailbox | null, edited: EditedMailbox): string {
  const { kind } = edited.form;
  if (kind !== 'smtp' && leadsToCheck(act, stored, edited)) return CONSENT_MESSAGES.signIn[kind];
  if (act !== 'edit') return messages.connect;
  return leadsToCheck(act, stored, edited) ? messages.saveAndCheck : COMMON_MESSAGES.actions.save;
}

interface FieldsProps {
  readonly edited: EditedMailbox;
  readonly act: FormAct;
  readonly stored: Mailbox | null;
}

function Fields({ edited, act, stored }: FieldsProps): ReactNode {
  const isPassword = edited.form.kind === 'smtp';
  if (act === 'reconnect') {
    return (
      <>
        <p>{stored?.address}</p>
        <StateNotice mailbox={stored} />
        {isPassword ? (
          <div className={styles.fields}>
            <ServerFields edited={edited} act={act} stored={stored} />
          </div>
        ) : (
          <p className="note">{CONSENT_MESSAGES.help(edited.form.address.trim())}</p>
        )}
      </>
    );
  }
  return (
    <>
      <StateNotice mailbox={stored} />
      <div className={styles.fields}>
        {stored === null ? (
          <KindField edited={edited} />
        ) : (
          <p className={`note ${styles.wide}`}>{MAILBOX_KIND_NAMES[stored.kind]}</p>
        )}
        <NameFields edited={edited} />
        {isPassword ? <ServerFields edited={edited} act={act} stored={stored} /> : null}
        {act === 'edit' ? <LimitFields edited={edited} /> : null}
        <ReadFields edited={edited} />
        <SharedField edited={edited} act={act} />
      </div>
      {!isPassword && leadsToCheck(act, stored, edited) ? (
        <p className="note">{CONSENT_MESSAGES.help(edited.form.address.trim())}</p>
      ) : null}
      {stored !== null && leadsToCheck(act, stored, edited) ? (
        <p className={dialog.consequence}>{messages.recheckConsequence}</p>
      ) : null}
      {stored?.state === 'ok' ? <OtherAddresses mailbox={stored} /> : null}
    </>
  );
}

/** Says why a mailbox sends or reads nothing now, with its server's answer. */
function StateNotice({ mailbox }: { readonly mailbox: Mailbox | null }) {
  const said = mailbox === null ? [] : stateNotice(mailbox);
  if (said.length === 0) return null;
  return (
    <Notice tone="warning">
      {said.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </Notice>
  );
}
