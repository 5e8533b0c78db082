import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { ApiError, unwrap } from '#web/lib/api/query-client.ts';
import { type Mailbox, reloadMailboxes } from '#web/lib/data/mailboxes.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { checkMailbox } from './mailbox-calls.ts';
import { faultOfFrom } from './mailbox-form.ts';
import styles from './mailboxes.module.css';
import { MAILBOX_CHECK_MESSAGES, MAILBOX_FORM_MESSAGES } from './words.ts';

const messages = MAILBOX_FORM_MESSAGES.others;

/** Shows which other addresses may be senders of a mailbox, and proves one more by a mail. */
export function OtherAddresses({ mailbox: { id, other_from } }: { readonly mailbox: Mailbox }) {
  const client = useQueryClient();
  const [address, setAddress] = useState('');
  const [isMissing, setMissing] = useState(false);
  const { mutate, isPending, error, reset } = useMutation({
    meta: { showsItself: () => true },
    mutationFn: async (from: string) => {
      const fault = faultOfFrom(unwrap(await checkMailbox(id, from)));
      if (fault !== null) throw new ApiError(fault);
    },
    onSuccess: (_, from) => {
      toast('success', messages.added(from));
      setAddress('');
    },
    onSettled: () => reloadMailboxes(client),
  });

  function add(): void {
    setMissing(address.trim() === '');
    if (address.trim() !== '' && !isPending) mutate(address.trim());
  }

  return (
    <section className={`stack ${styles.group}`}>
      <div>
        <h3>{messages.title}</h3>
        <p className="note">{other_from.length === 0 ? messages.none : other_from.join(LIST_SEPARATOR)}</p>
      </div>
      <TextField
        label={messages.address}
        help={messages.help}
        error={isMissing ? messages.missing : error?.message}
        inputMode="email"
        autoComplete="off"
        spellCheck={false}
        readOnly={isPending}
        value={address}
        onChange={(value) => {
          setAddress(value);
          setMissing(false);
          reset();
        }}
        onKeyDown={(event) => {
          // The form around it would be saved.
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          event.preventDefault();
          add();
        }}
      />
      <div className="row">
        <Button busy={isPending} onClick={add}>
          {messages.add}
        </Button>
        {isPending ? <span className="note">{MAILBOX_CHECK_MESSAGES.waiting}</span> : null}
      </div>
    </section>
  );
}
