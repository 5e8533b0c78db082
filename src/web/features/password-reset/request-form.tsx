import { useEffect, useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { CardForm } from '#web/components/field/card-form.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { call } from '#web/lib/api/call.ts';
import { useForm } from '#web/lib/form/use-form.ts';
import { PASSWORD_RESET_MESSAGES as messages } from './words.ts';

/** Requests a mail with a link. The result looks the same for every address, so that it reveals no account. */
export function RequestForm() {
  const [isAccepted, setAccepted] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const { field, form, busy } = useForm({
    empty: { email: '' },
    check: ({ email }) => (email.trim() === '' ? { email: messages.emailMissing } : {}),
    send: async ({ email }) => {
      const body = { email: email.trim() };
      const answer = await call('requestPasswordReset', { body }, { token: null });
      setAccepted(answer.ok);
      return answer.ok ? null : answer;
    },
  });
  useEffect(() => {
    if (!isAccepted) input.current?.focus();
  }, [isAccepted]);

  if (isAccepted) {
    return (
      <>
        <div role="status">
          <p>{messages.acceptedHelp}</p>
          <p>{messages.lateHelp}</p>
        </div>
        <Button onClick={() => setAccepted(false)}>{messages.again}</Button>
      </>
    );
  }
  return (
    <CardForm {...form} help={messages.requestHelp}>
      <TextField
        {...field('email')}
        ref={input}
        label={messages.email}
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Button type="submit" variant="primary" busy={busy}>
        {messages.request}
      </Button>
    </CardForm>
  );
}
