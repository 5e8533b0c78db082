import { type SubmitEvent, useState } from 'react';
import { Button } from '../button.tsx';
import { PasswordField } from '../field/password-field.tsx';
import { OWNER_PASSWORD_MESSAGES as messages } from './words.ts';

interface Props {
  /** Why the password was refused. */
  readonly error: string | undefined;
  readonly busy: boolean;
  readonly onConfirm: (password: string) => void;
}

/** Asks for the password, as a form of its own, where the log-in is too old for a change. A refused one stays. */
export function OwnerPassword({ error, busy, onConfirm }: Props) {
  const [password, setPassword] = useState('');

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (!busy && password !== '') onConfirm(password);
  }

  return (
    <form className="stack" onSubmit={submit} noValidate>
      <PasswordField
        label={messages.label}
        help={messages.help}
        error={error}
        autoComplete="current-password"
        autoFocus
        readOnly={busy}
        value={password}
        onChange={setPassword}
      />
      <div className="acts">
        <Button type="submit" busy={busy} disabled={password === ''}>
          {messages.confirm}
        </Button>
      </div>
    </form>
  );
}
