import { Button } from '#web/components/button.tsx';
import { CardForm } from '#web/components/field/card-form.tsx';
import { NewPasswordFields, newPasswordFaults } from '#web/components/field/new-password-fields.tsx';
import { call } from '#web/lib/api/call.ts';
import { useForm } from '#web/lib/form/use-form.ts';
import { PASSWORD_RESET_MESSAGES as messages } from './words.ts';

interface Props {
  /** The secret in the mailed link. */
  readonly secret: string;
  readonly onDone: () => void;
  /** The link is invalid, so another mail must be requested. */
  readonly onDead: () => void;
}

/** Sets the password when its form is submitted. Opening the page changes nothing, because mail scanners open links. */
export function NewPasswordForm({ secret, onDone, onDead }: Props) {
  const { field, form, busy } = useForm({
    empty: { new_password: '', new_password_confirmation: '' },
    check: newPasswordFaults,
    send: async (passwords) => {
      const body = { key: secret, ...passwords };
      const answer = await call('resetPassword', { body }, { token: null });
      if (answer.ok) onDone();
      else if (answer.code === 'invalid_key') onDead();
      else return answer;
      return null;
    },
  });
  return (
    <CardForm {...form} help={messages.setHelp}>
      <NewPasswordFields field={field} />
      <Button type="submit" variant="primary" busy={busy}>
        {messages.set}
      </Button>
    </CardForm>
  );
}
