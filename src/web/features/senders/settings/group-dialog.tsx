import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { faultsOf } from '#web/lib/api/faults-of.ts';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { postGroup, putGroup } from './changes.ts';
import { type GroupRow, reloadSenders } from './settings-query.ts';
import { SENDER_SETTINGS_MESSAGES as messages } from './words.ts';

interface Props {
  /** The group to rename; null: a new group. */
  readonly group: Pick<GroupRow, 'id' | 'group_name' | 'version'> | null;
  readonly onClose: () => void;
}

/** Asks for the name of a group. */
export function GroupDialog({ group, onClose }: Props) {
  const client = useQueryClient();
  const { keyOf } = useOnceKey();
  const [base] = useState(group);
  const [name, setName] = useState(group?.group_name ?? '');
  const [fault, setFault] = useState<{ readonly text: string; readonly isConflict: boolean }>();
  const [busy, setBusy] = useState(false);

  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    const answer = group === null ? await postGroup(name, keyOf(name)) : await putGroup(group, { group_name: name });
    const isConflict = !answer.ok && answer.code === 'group_changed';
    if (isConflict) await reloadSenders(client);
    setBusy(false);
    if (!answer.ok) {
      setFault({ text: faultsOf(answer).group_name ?? answer.message, isConflict });
      return;
    }
    onClose();
    toast('success', group === null ? messages.saved.groupAdded(name.trim()) : messages.saved.group(name.trim()));
    await reloadSenders(client);
  }

  const theirs = group === null || group.version === base?.version || group.group_name === name.trim() ? [] : [group];
  // The notice then shows the error in place of the field.
  const isTold = fault?.isConflict === true && theirs.length > 0;

  return (
    <Dialog
      title={group === null ? messages.groupTitle.add : messages.groupTitle.rename}
      onClose={() => !busy && onClose()}
    >
      <form onSubmit={(event) => void save(event)}>
        <TheirChanges
          message={isTold ? fault?.text : undefined}
          theirs={theirs.map(({ group_name: value }) => ({ label: messages.groupName, value }))}
        >
          <Button onClick={onClose}>{COMMON_MESSAGES.theirChanges.load}</Button>
        </TheirChanges>
        <TextField
          label={messages.groupName}
          error={isTold ? undefined : fault?.text}
          maxLength={MAX_NAME_LENGTH}
          value={name}
          data-autofocus
          onChange={(value) => {
            setName(value);
            setFault(undefined);
          }}
        />
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={onClose} />}
          act={
            <Button type="submit" variant="primary" busy={busy}>
              {group === null ? messages.add : COMMON_MESSAGES.actions.save}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}
