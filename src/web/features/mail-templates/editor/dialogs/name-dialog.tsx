import { type SubmitEvent, useState } from 'react';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { TEMPLATE_MESSAGES } from '../words.ts';

interface NameDialogProps {
  readonly name: string;
  /** Why the server has refused the name; undefined: it has not. */
  readonly fault: string | undefined;
  readonly onSet: (name: string) => void;
  readonly onClose: () => void;
}

/** Asks for the template's name on phones. 保存 saves it with the rest. */
export function NameDialog({ name, fault, onSet, onClose }: NameDialogProps) {
  const [typed, setTyped] = useState(name);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (typed !== name) onSet(typed);
    onClose();
  }

  return (
    <Dialog title={TEMPLATE_MESSAGES.name} onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        <TextField
          label={TEMPLATE_MESSAGES.name}
          help={TEMPLATE_MESSAGES.nameHelp}
          error={typed === name ? fault : undefined}
          maxLength={MAX_NAME_LENGTH}
          data-autofocus
          value={typed}
          onChange={setTyped}
        />
        <DialogFoot
          stay={<CancelButton onClick={onClose} />}
          act={
            <Button type="submit" variant="primary">
              {TEMPLATE_MESSAGES.setName}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}
