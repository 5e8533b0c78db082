import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { Panel } from '#web/components/panel.tsx';
import { useForm } from '#web/lib/form/use-form.ts';
import { EraseDialog } from './erase-dialog.tsx';
import styles from './personal-data.module.css';
import { type PersonalData as Data, showPersonalData } from './personal-data-query.ts';
import { StoredData } from './stored-data.tsx';
import { PERSONAL_DATA_MESSAGES as messages } from './words.ts';

/** Shows the data stored about an address, and erases them. The shown data are stored nowhere. */
export function PersonalData() {
  const client = useQueryClient();
  const [shown, setShown] = useState<{ readonly email: string; readonly data: Data } | null>(null);
  const [isErasing, setErasing] = useState(false);

  async function load(email: string) {
    const answer = await showPersonalData(email);
    if (!answer.ok) return answer;
    setShown({ email, data: answer.data });
    return null;
  }

  const { form, field, busy } = useForm({
    empty: { email: '' },
    check: ({ email }): { email?: string } => (email.trim() === '' ? { email: messages.noEmail } : {}),
    send: ({ email }) => load(email.trim()),
  });

  function reload(email: string): void {
    setErasing(false);
    forgetAnswers(client);
    void load(email);
  }

  return (
    <>
      <Panel title={messages.title} help={messages.help} isSplit>
        <form {...form} className={`stack ${styles.form}`} noValidate>
          <TextField
            {...field('email')}
            label={messages.email}
            inputMode="email"
            autoComplete="off"
            spellCheck={false}
          />
          <Button type="submit" variant={shown === null ? 'primary' : 'default'} busy={busy}>
            {messages.show}
          </Button>
        </form>
      </Panel>
      {shown === null ? null : <StoredData email={shown.email} data={shown.data} onErase={() => setErasing(true)} />}
      {shown !== null && isErasing ? (
        <EraseDialog {...shown} onErased={() => reload(shown.email)} onClose={() => setErasing(false)} />
      ) : null}
    </>
  );
}

/** Removes the cached answers of all other screens, which may contain erased data, and reloads those of this one. */
function forgetAnswers(client: QueryClient): void {
  client.removeQueries({ type: 'inactive' });
  void client.invalidateQueries();
}
