import { useMutation } from '@tanstack/react-query';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { SESSION_MESSAGES } from './words.ts';

const { ending: messages } = SESSION_MESSAGES;

interface Props {
  readonly others: number;
  readonly onClose: () => void;
  readonly onEnded: () => void;
}

/** Asks before all other sessions of the member end. */
export default function EndOthersDialog({ others, onClose, onEnded }: Props) {
  const { mutate, isPending } = useMutation({
    mutationFn: async () => unwrap(await call('endOtherSessions', {})),
    onSuccess: ({ sessions_ended }) => {
      toast('success', messages.done(sessions_ended));
      onClose();
    },
    onSettled: onEnded,
  });
  return (
    <Dialog title={messages.title} onClose={() => isPending || onClose()}>
      <p className={dialog.question}>{messages.question(others)}</p>
      <p className={dialog.consequence}>{messages.help}</p>
      <DialogFoot
        stay={<CancelButton busy={isPending} onClick={onClose} data-autofocus />}
        act={
          <Button variant="danger" busy={isPending} onClick={() => mutate()}>
            {messages.act}
          </Button>
        }
      />
    </Dialog>
  );
}
