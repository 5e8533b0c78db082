import { useQueryClient } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { PasswordField } from '#web/components/field/password-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { copyText } from '#web/components/inline/copy-text.ts';
import { Notice } from '#web/components/state/notice.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { type AnswerOf, type ApiFailure, call } from '#web/lib/api/call.ts';
import { useForm } from '#web/lib/form/use-form.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import styles from './second-step.module.css';
import { SECOND_STEP_MESSAGES as messages } from './words.ts';

const QrCode = lazy(() => loadPart(() => import('./qr-code.tsx')));

type Started = AnswerOf<'startTwoFactor'>;

interface Props {
  readonly email: string;
  readonly onClose: () => void;
  /** The second step is on, here or in another tab. */
  readonly onDone: () => void;
}

/** Sets up a second step: the password, then the app and its first code, then the recovery codes. */
export default function SetUpDialog({ email, onClose, onDone }: Props) {
  const [started, setStarted] = useState<Started | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes !== null) {
    return <RecoveryCodes codes={codes} email={email} lead={messages.turnedOnHelp} onDone={onDone} />;
  }
  /** Another tab was faster. */
  function settled(failure: ApiFailure): boolean {
    if (failure.code !== 'two_factor_on') return false;
    toast('info', messages.turnedOn);
    onDone();
    return true;
  }
  return started === null ? (
    <PasswordStep onClose={onClose} onStarted={setStarted} isSettled={settled} email={email} />
  ) : (
    <AppStep started={started} onClose={onClose} onConfirmed={setCodes} isSettled={settled} />
  );
}

interface StepProps extends Pick<Props, 'onClose'> {
  /** Whether a refusal ends the set-up, because there is nothing left to do. */
  readonly isSettled: (failure: ApiFailure) => boolean;
}

interface PasswordProps extends StepProps, Pick<Props, 'email'> {
  readonly onStarted: (started: Started) => void;
}

function PasswordStep({ email, onClose, onStarted, isSettled }: PasswordProps) {
  const [problem, setProblem] = useState<string>();
  const { form, field, busy } = useForm({
    empty: { current_password: '' },
    check: ({ current_password }) => (current_password === '' ? { current_password: messages.passwordMissing } : {}),
    send: async (body) => {
      const answer = await call('startTwoFactor', { body });
      if (answer.ok) onStarted(answer.data);
      else if (answer.code === 'no_secret_key') setProblem(answer.message);
      else if (!isSettled(answer)) return answer;
      return null;
    },
  });
  return (
    <Dialog title={messages.title} onClose={() => busy || onClose()}>
      <form {...form} className={styles.fields} noValidate>
        {problem === undefined ? null : (
          <Notice tone="bad" role="alert">
            {problem}
          </Notice>
        )}
        {/* Tells password managers which account this is. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          {...field('current_password')}
          label={messages.password}
          help={messages.passwordHelp}
          autoComplete="current-password"
          data-autofocus
        />
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={onClose} />}
          act={
            <Button type="submit" variant="primary" busy={busy}>
              {messages.next}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}

interface AppProps extends StepProps {
  readonly started: Started;
  readonly onConfirmed: (codes: readonly string[]) => void;
}

function AppStep({ started: { secret, uri }, onClose, onConfirmed, isSettled }: AppProps) {
  const isNarrow = useNarrowScreen();
  const client = useQueryClient();
  const { form, field, busy } = useForm({
    empty: { code: '' },
    check: ({ code }) => (code.trim() === '' ? { code: messages.codeMissing } : {}),
    send: async (body) => {
      const answer = await call('confirmTwoFactor', { body });
      if (answer.ok) {
        // All other sessions have ended.
        void client.invalidateQueries({ queryKey: ['session_list'] });
        onConfirmed(answer.data.recovery_codes);
      } else if (!isSettled(answer)) return answer;
      return null;
    },
  });
  return (
    <Dialog title={messages.title} size={520} isSheet onClose={() => busy || onClose()}>
      <form {...form} noValidate>
        <div>
          <section className={styles.step}>
            <h3>{`1. ${messages.scan}`}</h3>
            <p className="note">{messages.scanHelp}</p>
            {isNarrow ? <a href={uri}>{messages.open}</a> : null}
            <PartBoundary waiting={<div className={styles.code} />}>
              <QrCode text={uri} label={messages.qrCode} className={styles.code} />
            </PartBoundary>
            <p className="note">{messages.keyHelp}</p>
            <div className="row">
              <code className={styles.key}>{secret.match(/.{1,4}/g)?.join(' ')}</code>
              <Button onClick={() => void copyText(secret)}>{messages.copyKey}</Button>
            </div>
          </section>
          <section className={styles.step}>
            <h3>{`2. ${messages.enter}`}</h3>
            <TextField
              {...field('code')}
              className={styles.field}
              label={messages.code}
              help={messages.codeHelp}
              inputMode="numeric"
              autoComplete="one-time-code"
              data-autofocus={isNarrow ? undefined : true}
            />
            <p className="note">{messages.confirmHelp}</p>
          </section>
        </div>
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={onClose} />}
          act={
            <Button type="submit" variant="primary" busy={busy}>
              {messages.confirm}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}
