import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { ApiError, unwrap } from '#web/lib/api/query-client.ts';
import { type Mailbox, reloadMailboxes } from '#web/lib/data/mailboxes.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { checkMailbox, putMailbox } from './mailbox-calls.ts';
import { faultOfFrom } from './mailbox-form.ts';
import styles from './mailboxes.module.css';
import { MAILBOX_CHECK_MESSAGES, MAILBOX_FORM_MESSAGES } from './words.ts';

const messages = MAILBOX_FORM_MESSAGES.others;

interface Props {
  readonly mailbox: Mailbox;
}

/** Shows which other addresses may be senders of a mailbox, takes them away, and proves one more by a mail. */
export function OtherAddresses({ mailbox }: Props) {
  return (
    <section className={`stack ${styles.group}`}>
      <div>
        <h3>{messages.title}</h3>
        {mailbox.other_from.length === 0 ? <p className="note">{messages.none}</p> : <Addresses mailbox={mailbox} />}
      </div>
      {mailbox.imap_host === null ? <p className="note">{messages.noInboxHelp}</p> : <AddAddress mailbox={mailbox} />}
    </section>
  );
}

function Addresses({ mailbox }: Props) {
  const client = useQueryClient();
  /** The address that is asked about. */
  const [asked, setAsked] = useState<string>();
  const { mutate, isPending } = useMutation({
    mutationFn: async (address: string) =>
      void unwrap(await putMailbox(mailbox, { update_info: { remove_from: address } })),
    onSuccess: (_, address) => toast('success', messages.removed(address)),
    onSettled: () => reloadMailboxes(client).then(() => setAsked(undefined)),
  });
  return (
    <div className="stack-tight">
      <ul>
        {mailbox.other_from.map((address) => (
          <li key={address} className={styles.address}>
            <span>{address}</span>
            <Button
              variant="quiet"
              aria-label={messages.removeOf(address)}
              aria-expanded={address === asked}
              onClick={() => setAsked(address === asked ? undefined : address)}
            >
              {messages.remove}
            </Button>
          </li>
        ))}
      </ul>
      {asked === undefined ? null : (
        <Notice
          tone="warning"
          role="status"
          act={
            <Button busy={isPending} onClick={() => mutate(asked)}>
              {messages.removeIt}
            </Button>
          }
        >
          {messages.removeConsequence(asked)}
        </Notice>
      )}
    </div>
  );
}

function AddAddress({ mailbox: { id } }: Props) {
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
    <>
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
    </>
  );
}
