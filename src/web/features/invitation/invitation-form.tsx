import { ROLE_NAMES } from '#domain/account/role-names.ts';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { CardForm } from '#web/components/field/card-form.tsx';
import { NewPasswordFields, newPasswordFaults } from '#web/components/field/new-password-fields.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import type { LinkState } from '#web/lib/address/use-link-state.ts';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { useForm } from '#web/lib/form/use-form.ts';
import { INVITATION_MESSAGES as messages } from './words.ts';

interface Props {
  /** The key in the mailed link. */
  readonly secret: string;
  readonly invitation: AnswerOf<'checkInvitation'>;
  readonly onAccepted: () => void;
  /** Called when the link has become invalid. */
  readonly onDead: (state: LinkState<'checkInvitation'>) => void;
}

/** Makes the invited person a member. */
export function InvitationForm({ secret, invitation, onAccepted, onDead }: Props) {
  const { field, form, busy } = useForm({
    empty: { name: '', new_password: '', new_password_confirmation: '' },
    check: (values) => ({
      ...newPasswordFaults(values),
      ...(values.name.trim() === '' && { name: messages.nameMissing }),
    }),
    send: async (values) => {
      // Without the token of this tab: somebody else may be logged in.
      const answer = await call('acceptInvitation', { body: { key: secret, ...values } }, { token: null });
      if (answer.ok) onAccepted();
      else if (answer.code === 'invalid_key') onDead(answer);
      else return answer;
      return null;
    },
  });
  const { invited_by, role, email } = invitation;
  return (
    <CardForm {...form} help={messages.help(invited_by, ROLE_NAMES[role], email)}>
      {/* Password managers store the password with this address. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <TextField {...field('name')} label={messages.name} autoComplete="name" maxLength={MAX_NAME_LENGTH} autoFocus />
      <NewPasswordFields field={field} />
      <Button type="submit" variant="primary" busy={busy}>
        {messages.submit}
      </Button>
    </CardForm>
  );
}
