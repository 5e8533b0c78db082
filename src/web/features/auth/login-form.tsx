import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { MAX_PASSWORD_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { CardForm } from '#web/components/field/card-form.tsx';
import { PasswordField } from '#web/components/field/password-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import type { ApiFailure } from '#web/lib/api/call.ts';
import { asSentence } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { logIn } from './log-in.ts';
import styles from './login-form.module.css';
import { LOGIN_MESSAGES } from './words.ts';

interface Fault {
  readonly field: 'email' | 'password';
  readonly message: string;
}

/** Returns the first error of the form that needs no request. */
function faultOf(email: string, password: string): Fault | null {
  const { emailMissing, passwordMissing } = LOGIN_MESSAGES;
  if (email === '') return { field: 'email', message: emailMissing };
  if (password === '') return { field: 'password', message: passwordMissing };
  if (password.length <= MAX_PASSWORD_LENGTH) return null;
  return { field: 'password', message: COMMON_MESSAGES.password.tooLong(MAX_PASSWORD_LENGTH) };
}

/** Returns the origin on which the account's members log in; null: it is no web address. */
function homeOf({ details = [] }: ApiFailure): string | null {
  const url = URL.parse(details.find(({ path }) => path === 'url')?.message ?? '');
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : null;
}

interface Props {
  /** The visitor has started to type, so the first screen can load. */
  readonly onTouched: () => void;
  readonly onLoggedIn: () => void;
  /** The password is correct, but the account is on another host: `origin`. */
  readonly onOtherHost: (origin: string) => void;
}

export function LoginForm({ onTouched, onLoggedIn, onOtherHost }: Props) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<Fault | null>(null);
  const [busy, setBusy, leaving, setLeaving] = useWaiting();
  const emailInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);

  // The screen has only this form. The automatic focus does not count as touching it.
  useEffect(() => emailInput.current?.focus(), []);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (busy) return;
    const found = faultOf(email.trim(), password);
    setFault(found);
    if (found !== null) {
      toast('warning', found.message);
      (found.field === 'email' ? emailInput : passwordInput).current?.focus();
      return;
    }
    setBusy(true);
    const failure = await logIn(email.trim(), password);
    const home = failure?.code === 'other_host' ? homeOf(failure) : null;
    if (failure !== null && home !== null) {
      // Keeps the button busy until the browser has left.
      setLeaving({ home, why: asSentence(failure.message) });
      return onOtherHost(home);
    }
    setBusy(false);
    if (failure !== null) {
      toast('warning', failure.message);
      // Wrong credentials must be typed again. After other failures the button retries.
      if (failure.status === 401) {
        passwordInput.current?.focus();
        passwordInput.current?.select();
      }
      return;
    }
    toast('info', LOGIN_MESSAGES.loggedIn);
    onLoggedIn();
  }

  return (
    <CardForm onSubmit={(event) => void submit(event)} onInput={onTouched}>
      <TextField
        ref={emailInput}
        label={LOGIN_MESSAGES.email}
        type="email"
        name="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        value={email}
        error={fault?.field === 'email' && fault.message}
        onChange={setEmail}
      />
      <PasswordField
        ref={passwordInput}
        label={LOGIN_MESSAGES.password}
        name="password"
        autoComplete="current-password"
        value={password}
        error={fault?.field === 'password' && fault.message}
        onChange={setPassword}
      />
      {leaving === null ? null : <Leaving {...leaving} />}
      <Button type="submit" variant="primary" busy={busy}>
        {LOGIN_MESSAGES.submit}
      </Button>
    </CardForm>
  );
}

/** Whether the form waits for an answer or for the browser to leave. A page restored from cache stops waiting. */
function useWaiting() {
  const [busy, setBusy] = useState(false);
  const [leaving, setLeaving] = useState<LeavingProps | null>(null);
  useEffect(() => {
    const comeBack = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      setBusy(false);
      setLeaving(null);
    };
    window.addEventListener('pageshow', comeBack);
    return () => window.removeEventListener('pageshow', comeBack);
  }, []);
  return [busy, setBusy, leaving, setLeaving] as const;
}

interface LeavingProps {
  /** The origin on which the account's members log in: the browser goes there. */
  readonly home: string;
  readonly why: string;
}

function Leaving({ home, why }: LeavingProps) {
  return (
    <div role="status" className="tint">
      <progress className={styles.leaving} aria-label={LOGIN_MESSAGES.leavingNow} />
      <p>{why}</p>
      <p>{LOGIN_MESSAGES.leavingHelp}</p>
      <a href={home}>{LOGIN_MESSAGES.leavingLink}</a>
    </div>
  );
}
