import { type SubmitEvent, useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PasswordField } from '#web/components/password-field.tsx';
import { TextField } from '#web/components/text-field.tsx';
import { toast } from '#web/lib/toast.ts';
import { WORDS } from '#web/lib/words.ts';
import { logIn } from './log-in.ts';
import styles from './login-form.module.css';

const MISSING = { email: WORDS.login.emailMissing, password: WORDS.login.passwordMissing };

interface Props {
  /** The visitor has come to the form: time to load what a login will need. */
  readonly onTouched: () => void;
  readonly onLoggedIn: () => void;
}

export function LoginForm({ onTouched, onLoggedIn }: Props) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [missing, setMissing] = useState<keyof typeof MISSING | null>(null);
  const [busy, setBusy] = useState(false);
  const emailInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);

  function warnOfMissing(field: keyof typeof MISSING): void {
    setMissing(field);
    toast('warning', MISSING[field]);
    (field === 'email' ? emailInput : passwordInput).current?.focus();
  }

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (busy) return;
    if (email.trim() === '') return warnOfMissing('email');
    if (password === '') return warnOfMissing('password');
    setMissing(null);
    setBusy(true);
    const failure = await logIn(email.trim(), password);
    setBusy(false);
    if (failure !== null) {
      toast('warning', failure.message);
      return;
    }
    toast('info', WORDS.session.loggedIn);
    onLoggedIn();
  }

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} onFocus={onTouched} noValidate>
      <TextField
        ref={emailInput}
        label={WORDS.login.email}
        type="email"
        name="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        value={email}
        error={missing === 'email' && MISSING.email}
        onChange={setEmail}
      />
      <PasswordField
        ref={passwordInput}
        label={WORDS.login.password}
        name="password"
        autoComplete="current-password"
        value={password}
        error={missing === 'password' && MISSING.password}
        onChange={setPassword}
      />
      <Button type="submit" variant="primary" busy={busy}>
        {WORDS.login.submit}
      </Button>
    </form>
  );
}
