import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { CardForm } from '#web/components/field/card-form.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import type { ApiFailure } from '#web/lib/api/call.ts';
import { isOfCode, type SecondStep } from '../log-in.ts';
import styles from './code-form.module.css';
import { CODE_MESSAGES as messages } from './words.ts';

/** After so many wrong codes the telephone's clock may be the cause. */
const MISSES_OF_CLOCK = 3;

interface Props {
  /** Whose password was right. */
  readonly email: string;
  /** Logs in with a code. @returns null once the browser leaves this screen */
  readonly enter: (second: SecondStep) => Promise<ApiFailure | null>;
  readonly onBack: () => void;
}

/** Asks for the code of the authenticator app, or a recovery code. */
export default function CodeForm({ email, enter, onBack }: Props) {
  const [of, setOf] = useState<'app' | 'recovery'>('app');
  const [code, setCode] = useState('');
  const [trusts, setTrusts] = useState(false);
  const [fault, setFault] = useState<string>();
  const [misses, setMisses] = useState(0);
  const [busy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const isApp = of === 'app';

  // biome-ignore lint/correctness/useExhaustiveDependencies: another kind of code is another field
  useEffect(() => input.current?.focus(), [of]);

  async function submit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (busy) return;
    if (code.trim() === '') {
      setFault(isApp ? messages.codeMissing : messages.recoveryMissing);
      input.current?.focus();
      return;
    }
    setBusy(true);
    const failure = await enter({ code, trust: trusts ? 1 : 0 });
    // The view stays until the next screen has loaded.
    if (failure === null) return;
    setBusy(false);
    if (!isOfCode(failure)) return;
    setFault(failure.message);
    if (failure.code === 'wrong_code') setMisses(misses + 1);
    input.current?.focus();
    input.current?.select();
  }

  function choose(next: typeof of): void {
    setOf(next);
    setCode('');
    setFault(undefined);
  }

  return (
    <CardForm onSubmit={(event) => void submit(event)}>
      <p className="note">{messages.lead(email)}</p>
      <div className="stack">
        <TextField
          key={of}
          ref={input}
          className={styles.code}
          label={isApp ? messages.code : messages.recovery}
          help={isApp ? helpOf(misses) : messages.recoveryHelp}
          error={fault}
          name="code"
          inputMode={isApp ? 'numeric' : 'text'}
          autoComplete={isApp ? 'one-time-code' : 'off'}
          autoCapitalize={isApp ? 'none' : 'characters'}
          spellCheck={false}
          readOnly={busy}
          value={code}
          onChange={(next) => {
            setCode(next);
            setFault(undefined);
          }}
        />
        <label>
          <input type="checkbox" checked={trusts} onChange={({ target }) => setTrusts(target.checked)} />
          {messages.trust}
        </label>
      </div>
      <div className="stack">
        <Button type="submit" variant="primary" busy={busy}>
          {messages.submit}
        </Button>
        <Button onClick={onBack}>{messages.back}</Button>
      </div>
      <Lost isApp={isApp} onOther={() => choose(isApp ? 'recovery' : 'app')} />
    </CardForm>
  );
}

const helpOf = (misses: number): string => (misses < MISSES_OF_CLOCK ? messages.codeHelp : messages.clockHelp);

interface LostProps {
  readonly isApp: boolean;
  /** Asks for the other kind of code. */
  readonly onOther: () => void;
}

/** Shows the ways in without the app. */
const Lost = ({ isApp, onOther }: LostProps) => (
  <details className={styles.lost}>
    <summary>{messages.lost}</summary>
    <div className="stack">
      <p>{messages.lostHelp}</p>
      <Button onClick={onOther}>{isApp ? messages.useRecovery : messages.useApp}</Button>
      <p>{messages.noneLeftHelp}</p>
    </div>
  </details>
);
