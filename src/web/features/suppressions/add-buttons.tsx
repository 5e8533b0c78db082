import { Button } from '#web/components/button.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { SUPPRESSION_ADD_MESSAGES as messages } from './words.ts';

interface Props {
  /** How many values the next press stores; null: the press counts them first. */
  readonly added: number | null;
  readonly busy: boolean;
  readonly onClose: () => void;
}

/** Shows the buttons that cancel, count or store. */
export function AddButtons({ added, busy, onClose }: Props) {
  return (
    <>
      {added === 0 ? <p className={dialog.question}>{messages.nothing}</p> : null}
      <DialogFoot
        stay={<CancelButton busy={busy} onClick={onClose} />}
        act={
          <Button type="submit" variant="primary" busy={busy} disabled={added === 0}>
            {added === null || added === 0 ? messages.check : messages.store(added)}
          </Button>
        }
      />
    </>
  );
}
