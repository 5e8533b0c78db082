import { useEffect, useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { copyText } from '#web/components/inline/copy-text.ts';
import { saveText } from '#web/lib/api/save-file.ts';
import styles from './second-step.module.css';
import { SECOND_STEP_MESSAGES as messages } from './words.ts';

interface Props {
  readonly codes: readonly string[];
  /** The member's address, for the file. */
  readonly email: string;
  /** What has just been done. */
  readonly lead?: string;
  readonly onDone: () => void;
}

/** Shows new recovery codes, once. The dialog stays until they are stored. */
export function RecoveryCodes({ codes, email, lead, onDone }: Props) {
  const [isStored, setStored] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const tick = useRef<HTMLInputElement>(null);
  const heading = useRef<HTMLDivElement>(null);
  const fault = useRef<HTMLParagraphElement>(null);
  useEffect(() => heading.current?.focus(), []);
  // On phones it begins behind the button.
  useEffect(() => {
    if (isAsked) fault.current?.scrollIntoView?.({ block: 'nearest' });
  }, [isAsked]);

  function close(): void {
    if (isStored) {
      onDone();
      return;
    }
    setAsked(true);
    tick.current?.focus();
  }
  return (
    <Dialog title={messages.codesTitle} onClose={close}>
      <div ref={heading} tabIndex={-1} data-autofocus>
        {lead === undefined ? null : <p>{lead}</p>}
        <p>{messages.codesHelp}</p>
      </div>
      <ul className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="row">
        <Button onClick={() => void copyText(codes.join('\n'))}>{messages.copy}</Button>
        <Button
          onClick={() =>
            saveText([messages.file(email), '', ...codes, ''].join('\r\n'), messages.fileName, 'text/plain')
          }
        >
          {messages.download}
        </Button>
      </div>
      <DialogFoot
        act={
          <Button variant="primary" disabled={!isStored} onClick={onDone}>
            {messages.done}
          </Button>
        }
      >
        <label>
          <input
            ref={tick}
            type="checkbox"
            checked={isStored}
            aria-invalid={(isAsked && !isStored) || undefined}
            aria-describedby="stored-fault"
            onChange={({ target }) => setStored(target.checked)}
          />
          {messages.stored}
        </label>
        <p ref={fault} id="stored-fault" role="status" className="fault">
          {isAsked && !isStored ? messages.notStored : null}
        </p>
      </DialogFoot>
    </Dialog>
  );
}
