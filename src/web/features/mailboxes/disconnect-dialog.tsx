import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { type Mailbox, reloadMailboxes } from '#web/lib/data/mailboxes.ts';
import { asSentence } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { putMailbox } from './mailbox-calls.ts';
import { MAILBOX_OFF_MESSAGES as messages } from './words.ts';

interface Props {
  readonly mailbox: Mailbox;
  readonly onClose: () => void;
}

/** Asks before a mailbox is disconnected, and again if mails wait for it. */
export function DisconnectDialog({ mailbox, onClose }: Props) {
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    meta: { showsItself: () => true },
    mutationFn: async (isConfirmed: boolean) => {
      const confirmed = isConfirmed ? ({ confirmed: 1 } as const) : {};
      unwrap(await putMailbox(mailbox, { update_info: { active: 0 }, ...confirmed }));
    },
    onSuccess: () => {
      toast('success', messages.done(mailbox.name));
      onClose();
    },
    onSettled: () => reloadMailboxes(client),
  });
  // The server counts what would not be sent.
  const isAsked = hasCode(error, 'has_open_mails');

  return (
    <Dialog title={messages.title} onClose={() => !isPending && onClose()}>
      <p className={dialog.question}>{messages.question(mailbox.name, mailbox.address)}</p>
      <p className={dialog.consequence}>{messages.consequence}</p>
      {error === null ? null : (
        <Notice tone={isAsked ? 'warning' : 'bad'} role="alert" className={dialog.between}>
          {asSentence(error.message)}
        </Notice>
      )}
      <DialogFoot
        stay={<CancelButton busy={isPending} onClick={onClose} data-autofocus />}
        act={
          <Button variant="danger" busy={isPending} onClick={() => mutate(isAsked)}>
            {messages.disconnect}
          </Button>
        }
      />
    </Dialog>
  );
}
