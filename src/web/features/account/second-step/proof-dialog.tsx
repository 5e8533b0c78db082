import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { PasswordField } from '#web/components/field/password-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { call } from '#web/lib/api/call.ts';
import { useForm } from '#web/lib/form/use-form.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import styles from './second-step.module.css';
import { SECOND_STEP_MESSAGES as messages } from './words.ts';

interface Props {
  readonly email: string;
  readonly act: 'end' | 'renew';
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Turns the second step off, or makes new recovery codes, with password and code. */
export default function ProofDialog({ email, act, onClose, onDone }: Props) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const { title, help } = act === 'end' ? messages.ending : messages.renewing;
  const { form, field, busy } = useForm({
    empty: { current_password: '', code: '' },
    check: ({ current_password, code }) => ({
      ...(current_password === '' && { current_password: messages.passwordMissing }),
      ...(code.trim() === '' && { code: messages.codeMissing }),
    }),
    send: async (body) => {
      if (act === 'renew') {
        const answer = await call('renewRecoveryCodes', { body });
        if (!answer.ok) return answer;
        setCodes(answer.data.recovery_codes);
        return null;
      }
      const answer = await call('endTwoFactor', { body });
      if (!answer.ok) return answer;
      toast('success', messages.ending.done);
      onDone();
      return null;
    },
  });
  if (codes !== null) return <RecoveryCodes codes={codes} email={email} onDone={onDone} />;
  return (
    <Dialog title={title} onClose={() => busy || onClose()}>
      <form {...form} noValidate>
        <div className={styles.fields}>
          <p className={dialog.consequence}>{help}</p>
          {/* Tells password managers which account this is. */}
          <input type="text" autoComplete="username" value={email} readOnly hidden />
          <PasswordField
            {...field('current_password')}
            label={messages.password}
            autoComplete="current-password"
            data-autofocus
          />
          <TextField
            {...field('code')}
            label={messages.anyCode}
            help={messages.anyCodeHelp}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
          />
        </div>
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={onClose} />}
          act={
            <Button type="submit" variant={act === 'end' ? 'danger' : 'primary'} busy={busy}>
              {act === 'end' ? messages.turnOff : messages.renewing.act}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}
