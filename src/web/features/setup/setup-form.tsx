import { MAX_EMAIL_LENGTH, MAX_NAME_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { CardForm } from '#web/components/field/card-form.tsx';
import { NewPasswordFields, newPasswordFaults } from '#web/components/field/new-password-fields.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import type { LinkState } from '#web/lib/address/use-link-state.ts';
import { call } from '#web/lib/api/call.ts';
import { useForm } from '#web/lib/form/use-form.ts';

import { SETUP_MESSAGES as messages } from './words.ts';

interface Props {
  /** The key in the printed link. */
  readonly secret: string;
  readonly onCreated: (email: string, password: string) => Promise<void>;
  /** Called when the link has become invalid. */
  readonly onDead: (state: LinkState<'checkSetup'>) => void;
}

const EMPTY = { company: '', name: '', email: '', new_password: '', new_password_confirmation: '' };
const LABELS = { company: messages.company, name: messages.name, email: messages.email };

export function SetupForm({ secret, onCreated, onDead }: Props) {
  const { field, form, busy } = useForm({
    empty: EMPTY,
    check: (values) => {
      const missing = (Object.keys(LABELS) as (keyof typeof LABELS)[]).filter((name) => values[name].trim() === '');
      return {
        ...newPasswordFaults(values),
        ...Object.fromEntries(missing.map((name) => [name, messages.missing(LABELS[name])])),
      };
    },
    send: async (values) => {
      const email = values.email.trim();
      const body = { key: secret, ...values, email };
      const answer = await call('setUp', { body }, { token: null });
      if (answer.ok) await onCreated(answer.data.email, values.new_password);
      else if (answer.status === 404 || answer.code === 'invalid_key') onDead(answer);
      else return answer;
      return null;
    },
  });
  return (
    <CardForm {...form}>
      <TextField
        {...field('company')}
        label={messages.company}
        autoComplete="organization"
        maxLength={MAX_NAME_LENGTH}
        autoFocus
      />
      <TextField {...field('name')} label={messages.name} autoComplete="name" maxLength={MAX_NAME_LENGTH} />
      <TextField
        {...field('email')}
        label={messages.email}
        help={messages.emailHelp}
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={MAX_EMAIL_LENGTH}
      />
      <NewPasswordFields field={field} isFirst />
      <Button type="submit" variant="primary" busy={busy}>
        {messages.submit}
      </Button>
    </CardForm>
  );
}
