import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { faultsOf } from '#web/lib/api/faults-of.ts';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import { toast } from '#web/lib/screen/toast.ts';
import styles from './replies.module.css';
import { postReply, reloadReplies } from './reply-query.ts';
import { REPLY_MESSAGES } from './words.ts';

interface Props {
  readonly prospectId: number;
  readonly onClose: () => void;
}

/** Records that a company has replied, by telephone or to a mailbox that the server does not read. */
export default function MarkDialog({ prospectId, onClose }: Props) {
  const client = useQueryClient();
  const { keyOf } = useOnceKey();
  const [note, setNote] = useState('');
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const messages = REPLY_MESSAGES.marking;

  async function mark(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    const info = { prospect_id: prospectId, ...(note.trim() !== '' && { note: note.trim() }) };
    setBusy(true);
    const answer = await postReply(info, keyOf(info));
    setBusy(false);
    if (!answer.ok) {
      const { note: atNote } = faultsOf(answer);
      if (atNote !== undefined) setFault(atNote);
      else if (answer.status !== 401) toast('warning', answer.message);
      return;
    }
    toast('success', messages.done);
    onClose();
    reloadReplies(client);
  }

  return (
    <Dialog title={messages.title} onClose={() => !isBusy && onClose()}>
      <form onSubmit={(event) => void mark(event)} noValidate>
        <p className={dialog.consequence}>{messages.consequence}</p>
        <TextField
          className={styles.note}
          label={messages.note}
          help={messages.noteHelp}
          maxLength={200}
          error={fault}
          value={note}
          data-autofocus
          onChange={(value) => {
            setNote(value);
            setFault(undefined);
          }}
        />
        <DialogFoot
          stay={<CancelButton busy={isBusy} onClick={onClose} />}
          act={
            <Button type="submit" variant="primary" busy={isBusy}>
              {messages.button}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}
