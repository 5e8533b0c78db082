import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { unwrap } from '#web/lib/api/query-client.ts';
import { type Mailbox, reloadMailboxes } from '#web/lib/data/mailboxes.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { CheckSteps } from './check-steps.tsx';
import { CheckedDialog } from './checked-dialog.tsx';
import { checkMailbox } from './mailbox-calls.ts';
import { failureOf } from './mailbox-form.ts';
import { MAILBOX_CHECK_MESSAGES as messages } from './words.ts';

interface Props {
  readonly mailbox: Mailbox;
  /** Whether its owner has just consented at its provider: it is offered to the persons with its address. */
  readonly isNew: boolean;
  readonly onClose: () => void;
}

/** Checks the connection of a mailbox as it is stored, and shows what was found. */
export function CheckDialog({ mailbox: { id, name, address }, isNew, onClose }: Props) {
  const client = useQueryClient();
  const { mutate, data, error, isPending } = useMutation({
    meta: { showsItself: () => true },
    mutationFn: async () => unwrap(await checkMailbox(id)),
    onSettled: () => reloadMailboxes(client),
  });
  const isBegun = useRef(false);
  // The press that opened the dialog asks for it, once.
  useEffect(() => {
    if (isBegun.current) return;
    isBegun.current = true;
    mutate();
  }, [mutate]);
  const isOk = data !== undefined && failureOf(data) === null;
  if (isNew && isOk) return <CheckedDialog id={id} name={name} address={address} checked={data} onClose={onClose} />;

  return (
    <Dialog title={messages.title} size={560} onClose={onClose}>
      <div className="stack">
        <p>{address}</p>
        {error === null ? <CheckSteps checked={isPending ? undefined : data} /> : null}
        {error === null ? null : (
          <Notice tone="bad" role="alert">
            {error.message}
          </Notice>
        )}
      </div>
      <DialogFoot
        stay={
          <Button onClick={onClose} data-autofocus>
            {COMMON_MESSAGES.actions.close}
          </Button>
        }
        act={
          isOk ? undefined : (
            <Button busy={isPending} onClick={() => mutate()}>
              {messages.again}
            </Button>
          )
        }
      />
    </Dialog>
  );
}
