import { lazy, type SubmitEvent, useCallback, useEffect, useRef, useState } from 'react';
import { MAX_PASSWORD_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { CardForm } from '#web/components/field/card-form.tsx';
import { PasswordField } from '#web/components/field/password-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import type { ApiFailure } from '#web/lib/api/call.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { keepEmail, knownEmail } from './known-email.ts';
import { isOfCode, logIn, type SecondStep } from './log-in.ts';
import type { SecondView } from './use-second-view.ts';
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

/** The second view, which loads when the first member with a second step logs in. */
const loadCodeForm = () => import('./second-step/code-form.tsx');
const CodeForm = lazy(() => loadPart(loadCodeForm));

/** Says that the browser goes to the account's own host. */
const Leaving = lazy(() => loadPart(() => import('./leaving/leaving.tsx')));

interface Places {
  /** Asks for the second step. */
  readonly second: SecondView;
  readonly onLoggedIn: () => void;
  /** The password is correct, but the account is on another host: `origin`. */
  readonly onOtherHost: (origin: string) => void;
}

interface Props extends Places {
  /** The visitor has started to type, so the first screen can load. */
  readonly onTouched: () => void;
}

/** Asks for address and password, and then for a code where the member has a second step. */
export function LoginForm({ onTouched, ...places }: Props) {
  const { isShown: asksCode, leave } = places.second;
  const [email, setEmail] = useState(knownEmail);
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<Fault | null>(null);
  const { busy, elsewhere, stay, enter } = useEntry(email.trim(), password, places.second, places.onLoggedIn);
  const emailInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);

  // The screen has only this form. The automatic focus does not count as touching it.
  useEffect(() => {
    if (asksCode) return;
    (emailInput.current?.value === '' ? emailInput : passwordInput).current?.focus();
    keepEmail('');
  }, [asksCode]);

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
    const failure = await enter();
    // Wrong credentials must be typed again. After other failures the button retries.
    if (failure?.status === 401) {
      passwordInput.current?.focus();
      passwordInput.current?.select();
    }
  }

  if (asksCode) {
    return (
      <PartBoundary>
        <CodeForm email={email.trim()} enter={enter} onBack={() => leave()} />
      </PartBoundary>
    );
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
      {elsewhere === null ? null : (
        <PartBoundary>
          <Leaving refusal={elsewhere} onLeave={places.onOtherHost} onStay={stay} />
        </PartBoundary>
      )}
      <Button type="submit" variant="primary" busy={busy}>
        {LOGIN_MESSAGES.submit}
      </Button>
    </CardForm>
  );
}

/**
 * Returns the log-in, and whether the form waits: for its answer, or for the browser to leave. A page restored from
 * cache stops waiting.
 */
function useEntry(email: string, password: string, second: SecondView, onLoggedIn: () => void) {
  const [busy, setBusy] = useState(false);
  /** The refusal that names the account's own host. */
  const [elsewhere, setElsewhere] = useState<ApiFailure | null>(null);
  const stay = useCallback(() => {
    setBusy(false);
    setElsewhere(null);
  }, []);
  useEffect(() => {
    const comeBack = ({ persisted }: PageTransitionEvent) => persisted && stay();
    window.addEventListener('pageshow', comeBack);
    return () => window.removeEventListener('pageshow', comeBack);
  }, [stay]);

  /** Logs in, and reports what no field of the second view shows. @returns null once the browser leaves this screen */
  async function enter(code?: SecondStep): Promise<ApiFailure | null> {
    setBusy(true);
    const failure = await logIn(email, password, code);
    if (failure === null) {
      toast('info', LOGIN_MESSAGES.loggedIn);
      second.leave(onLoggedIn);
      return null;
    }
    if (failure.code === 'other_host') {
      // Keeps the button busy until the browser has left.
      setElsewhere(failure);
      return null;
    }
    if (!isOfCode(failure)) {
      toast('warning', failure.message);
      // The password has changed meanwhile.
      if (failure.status === 401 && code !== undefined) second.leave();
    } else if (code === undefined) {
      // A part that cannot be loaded says so in its place.
      await loadCodeForm().catch(() => undefined);
      await second.open();
    }
    setBusy(false);
    return failure;
  }

  return { busy, elsewhere, stay, enter };
}
