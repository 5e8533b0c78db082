import { type SubmitEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { RICH_MESSAGES } from '../words.ts';
import { usableLink } from './rich-document.ts';
import styles from './rich-field.module.css';

interface Props {
  /** The link at the cursor, or null. */
  readonly href: string | null;
  /** The link has words: the selection, or the link's own text. */
  readonly hasWords: boolean;
  /** @param href null removes the link */
  readonly onSet: (href: string | null, words: string) => void;
  readonly onClose: () => void;
}

const { linkForm: messages } = RICH_MESSAGES;

/** Asks for a link's target, and for its words if none are selected. */
export function LinkDialog({ href, hasWords, onSet, onClose }: Props) {
  const [target, setTarget] = useState(href ?? '');
  const [words, setWords] = useState('');
  const [fault, setFault] = useState<string>();

  function set(value: string | null): void {
    // Close first: the editor can take the focus only once the dialog is gone.
    flushSync(onClose);
    onSet(value, words.trim() === '' ? (value ?? '') : words.trim());
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    // The dialog is outside of any form in the DOM, but React passes the event to the components around it.
    event.stopPropagation();
    const usable = usableLink(target);
    if (usable === null) setFault(messages.fault);
    else set(usable);
  }

  return (
    <Dialog title={RICH_MESSAGES.link} onClose={onClose}>
      <form className={styles.link} onSubmit={submit} noValidate>
        {hasWords ? null : (
          <TextField label={messages.words} help={messages.wordsHelp} value={words} onChange={setWords} />
        )}
        <TextField
          label={messages.target}
          help={messages.targetHelp}
          error={fault}
          inputMode="url"
          data-autofocus
          value={target}
          onChange={(value) => {
            setTarget(value);
            setFault(undefined);
          }}
        />
        <DialogFoot
          stay={<CancelButton onClick={onClose} />}
          others={href === null ? null : <Button onClick={() => set(null)}>{messages.remove}</Button>}
          act={
            <Button type="submit" variant="primary">
              {messages.set}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}
