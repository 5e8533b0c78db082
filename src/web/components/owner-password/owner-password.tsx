import { type SubmitEvent, useState } from 'react';
import { Button } from '../button.tsx';
import { PasswordField } from '../field/password-field.tsx';
import { FRAME_MESSAGES } from '../words.ts';
import { OWNER_PASSWORD_MESSAGES as messages } from './words.ts';

interface Props {
  /** Why the password was refused. */
  readonly error: string | undefined;
  readonly busy: boolean;
  readonly onConfirm: (password: string) => void;
  /** Takes back a draft, whose foot the password stands for. Absent: there is none. */
  readonly onDiscard?: () => void;
}

/** Asks for the password, as a form of its own, where the log-in is too old for a change. A refused one stays. */
export function OwnerPassword({ error, busy, onConfirm, onDiscard }: Props) {
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
      <div className={onDiscard === undefined ? 'acts' : 'acts end'}>
        {onDiscard === undefined ? null : (
          <Button busy={busy} onClick={onDiscard}>
            {FRAME_MESSAGES.discard}
          </Button>
        )}
        <Button type="submit" variant={password === '' ? 'default' : 'primary'} busy={busy} disabled={password === ''}>
          {messages.confirm}
        </Button>
      </div>
    </form>
  );
}
