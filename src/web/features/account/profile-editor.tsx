import { type KeyboardEvent, type SubmitEvent, useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PasswordField } from '#web/components/field/password-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './account.module.css';
import type { EditedItem } from './use-profile-form.ts';
import { ACCOUNT_MESSAGES } from './words.ts';

interface Props {
  readonly edited: EditedItem;
  readonly label: string;
  /** The value that is stored on the server. */
  readonly value: string;
  readonly help?: string | undefined;
  readonly type?: 'text' | 'email' | undefined;
  readonly autoComplete: string;
  readonly onCancel: () => void;
}

/** Edits one item: Enter saves, Escape cancels. A refused text stays, with the reason below the field. */
export function ProfileEditor({ edited, label, value, help, type = 'text', autoComplete, onCancel }: Props) {
  const { form, busy, theirs, proof } = edited;
  // A draft that a reload or a login restored must not take the focus.
  const [isNew] = useState(form.text === value);
  const input = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    edited.save(undefined, (faults) => ('text' in faults ? input : password).current?.focus());
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !busy) onCancel();
  }

  return (
    <form className={`stack ${styles.form}`} onSubmit={submit} noValidate>
      <TheirChanges message={edited.conflict} theirs={theirs.map(({ theirs: text }) => ({ label, value: text }))}>
        <Button onClick={onCancel}>{COMMON_MESSAGES.theirChanges.load}</Button>
      </TheirChanges>
      <TextField
        ref={input}
        label={label}
        hidesLabel
        help={help}
        error={edited.faults.text}
        type={type}
        autoComplete={autoComplete}
        autoFocus={isNew}
        onFocus={(event) => event.target.select()}
        onKeyDown={onKeyDown}
        readOnly={busy}
        value={form.text}
        onChange={(text) => {
          edited.forgetProblem();
          edited.change({ text });
        }}
      />
      {proof.isAsked ? (
        <PasswordField
          ref={password}
          label={ACCOUNT_MESSAGES.currentPassword}
          help={ACCOUNT_MESSAGES.passwordAskedHelp}
          error={edited.faults.current_password}
          autoComplete="current-password"
          autoFocus
          onKeyDown={onKeyDown}
          readOnly={busy}
          value={proof.password}
          onChange={edited.setPassword}
        />
      ) : null}
      <div className="acts">
        <Button aria-disabled={busy} onClick={() => busy || onCancel()}>
          {COMMON_MESSAGES.actions.cancel}
        </Button>
        <Button
          type="submit"
          variant="primary"
          busy={busy}
          disabled={form.text.trim() === value || (proof.isAsked && proof.password === '')}
        >
          {ACCOUNT_MESSAGES.saveChange}
        </Button>
      </div>
    </form>
  );
}
