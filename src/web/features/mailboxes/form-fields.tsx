import { type ReactNode, useId } from 'react';
import { MAILBOX_KIND_NAMES, type MailboxKind } from '#contract/senders/mailboxes-names.ts';
import field from '#web/components/field/field.module.css';
import { PasswordField } from '#web/components/field/password-field.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import type { Mailbox } from '#web/lib/data/mailboxes.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { type FormAct, formOf, needsPassword, portChoices } from './mailbox-form.ts';
import styles from './mailboxes.module.css';
import type { EditedMailbox } from './use-mailbox-form.ts';
import { MAILBOX_FORM_MESSAGES as messages } from './words.ts';

interface Props {
  readonly edited: EditedMailbox;
  readonly act: FormAct;
  /** null: a new mailbox. */
  readonly stored: Mailbox | null;
}

type TextName = 'name' | 'address' | 'smtp_host' | 'username' | 'imap_host' | 'per_day' | 'per_minute';

/** Returns the properties of a text field of the form. */
const textOf = ({ form, faults, busy, change }: EditedMailbox, name: TextName) => ({
  value: form[name],
  error: faults[name],
  readOnly: busy,
  autoComplete: 'off',
  spellCheck: false,
  onChange: (value: string) => change({ [name]: value }),
});

interface TickProps {
  readonly label: string;
  readonly help: string;
  readonly error: string | undefined;
  readonly checked: boolean;
  readonly disabled: boolean;
  readonly onChange: (isTicked: boolean) => void;
}

function Tick({ label, help, error, checked, disabled, onChange }: TickProps): ReactNode {
  const id = useId();
  return (
    <div>
      <label className="line">
        <input
          type="checkbox"
          checked={checked}
          aria-disabled={disabled || undefined}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={`${id}-help`}
          onChange={({ target }) => disabled || onChange(target.checked)}
        />
        {label}
      </label>
      <div id={`${id}-help`}>
        {error === undefined ? null : <span className={field.error}>{error}</span>}
        <span className={field.help}>{help}</span>
      </div>
    </div>
  );
}

const KINDS = Object.entries(MAILBOX_KIND_NAMES).map(([value, label]) => ({ value, label }));

/** Asks where a new mailbox is. */
export const KindField = ({ edited: { form, busy, change } }: Pick<Props, 'edited'>) => (
  <SelectField
    label={messages.kind}
    choices={KINDS}
    value={form.kind}
    disabled={busy}
    onChange={(kind) => change({ kind: kind as MailboxKind })}
  />
);

/** Asks for whose mailbox it is. */
export function NameFields({ edited }: Pick<Props, 'edited'>) {
  return (
    <>
      <TextField
        {...textOf(edited, 'address')}
        // Beside another field a long address is cut.
        className={styles.wide}
        label={messages.address}
        inputMode="email"
        data-autofocus
      />
      <TextField {...textOf(edited, 'name')} className={styles.wide} label={messages.name} help={messages.nameHelp} />
    </>
  );
}

/** Asks for the server of a mailbox with a password. */
export function ServerFields({ edited, act, stored }: Props) {
  const { form, faults, busy, change, password, setPassword } = edited;
  const isNeeded = needsPassword(form, stored === null ? form : formOf(stored), act);
  return (
    <>
      <TextField {...textOf(edited, 'smtp_host')} label={messages.host} help={messages.hostHelp} />
      <SelectField
        label={messages.port}
        choices={portChoices(stored)}
        value={form.port}
        error={faults.port}
        disabled={busy}
        onChange={(port) => change({ port })}
      />
      <TextField {...textOf(edited, 'username')} label={messages.username} help={messages.usernameHelp} />
      <PasswordField
        label={isNeeded ? messages.password : messages.newPassword}
        help={
          act !== 'edit' ? messages.passwordHelp : isNeeded ? messages.againPasswordHelp : messages.keptPasswordHelp
        }
        error={faults.password}
        readOnly={busy}
        autoComplete="new-password"
        data-autofocus={act === 'reconnect' || undefined}
        value={password}
        onChange={setPassword}
      />
    </>
  );
}

/** Asks for the consent to read the answers, and where they are. */
export function ReadFields({ edited }: Pick<Props, 'edited'>) {
  const { form, faults, busy, change } = edited;
  return (
    <div className={`stack ${styles.wide}`}>
      <Tick
        label={messages.reads}
        help={messages.readsHelp}
        error={faults.reads}
        checked={form.reads}
        disabled={busy}
        onChange={(reads) => change({ reads })}
      />
      {form.reads && form.kind === 'smtp' ? (
        <TextField {...textOf(edited, 'imap_host')} label={messages.imapHost} help={messages.imapHostHelp} />
      ) : null}
    </div>
  );
}

/** Offers admins to share the mailbox. */
export function SharedField({ edited, act }: Pick<Props, 'edited' | 'act'>) {
  const mayAdd = useMay('addMailbox', { field: 'add_info.is_shared' });
  const mayChange = useMay('updateMailbox', { field: 'update_info.is_shared' });
  if (!(act === 'add' ? mayAdd : mayChange)) return null;
  const { form, faults, busy, change } = edited;
  return (
    <div className={styles.wide}>
      <Tick
        label={messages.shared}
        help={messages.sharedHelp}
        error={faults.shared}
        checked={form.shared}
        disabled={busy}
        onChange={(shared) => change({ shared })}
      />
    </div>
  );
}

export const LimitFields = ({ edited }: Pick<Props, 'edited'>) => (
  <>
    <TextField {...textOf(edited, 'per_day')} label={messages.perDay} inputMode="numeric" />
    <TextField {...textOf(edited, 'per_minute')} label={messages.perMinute} inputMode="numeric" />
  </>
);
