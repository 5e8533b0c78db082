import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { Chip } from '#web/components/inline/chip.tsx';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { setSavedCondition } from '../filter/filter-state.ts';
import { FILTER_MESSAGES } from '../filter/words.ts';
import { contentOf } from './content-of.ts';
import { NameFields, nameFault } from './name-fields.tsx';
import {
  isOutdated,
  postCondition,
  putCondition,
  readSaved,
  reloadSaved,
  type SavedCondition,
  type WholeCondition,
  whereInfoOf,
} from './saved-condition.ts';
import { CONDITION_MESSAGES as messages } from './words.ts';

interface Props {
  readonly shown: WholeCondition;
  /** The name of the condition's sender group. */
  readonly groupName: string;
  /** The saved condition that the user chose and then changed. */
  readonly chosen: SavedCondition | undefined;
  readonly onClose: () => void;
}

/** Saves the shown list's condition: as a new one, or over the chosen one. */
export default function SaveDialog({ shown, groupName, chosen, onClose }: Props) {
  const client = useQueryClient();
  const { keyOf } = useOnceKey();
  const [base] = useState(chosen);
  const [replaces, setReplaces] = useState(chosen !== undefined);
  const [name, setName] = useState('');
  const [isShared, setShared] = useState('0');
  const [keepsGroup, setKeepsGroup] = useState(chosen?.where_info.sender_group_id === undefined ? '0' : '1');
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);

  function rename(next: string): void {
    setName(next);
    setFault(undefined);
  }

  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    const where_info = whereInfoOf({ ...shown, groupId: keepsGroup === '1' ? shown.groupId : undefined });
    const added = { name, is_shared: isShared === '1' ? (1 as const) : (0 as const), where_info };
    const answer =
      chosen !== undefined && replaces
        ? await putCondition(chosen, { where_info })
        : await postCondition(added, keyOf(added));
    if (answer.ok || isOutdated(answer)) await reloadSaved(client);
    setBusy(false);
    if (!answer.ok) return setFault(nameFault(answer));
    if ('id' in answer.data) setSavedCondition(answer.data.id);
    toast('success', messages.done);
    onClose();
  }

  return (
    <Dialog title={messages.saveTitle} onClose={() => !busy && onClose()}>
      <form onSubmit={(event) => void save(event)} className="stack">
        {replaces && !busy ? <Theirs chosen={chosen} base={base} /> : null}
        {chosen === undefined ? null : (
          <SelectField
            label={messages.how}
            choices={[
              { value: '1', label: messages.replace(chosen.name) },
              { value: '0', label: messages.asNew },
            ]}
            value={replaces ? '1' : '0'}
            error={replaces ? fault : undefined}
            onChange={(value) => {
              setReplaces(value === '1');
              setFault(undefined);
            }}
          />
        )}
        {chosen !== undefined && replaces ? null : (
          <NameFields name={name} fault={fault} isShared={isShared} onName={rename} onShared={setShared} />
        )}
        {shown.groupId === undefined ? null : (
          <SelectField
            label={messages.otherFields.sender_group_id}
            choices={[
              { value: '0', label: messages.anyGroup },
              { value: '1', label: messages.withGroup(groupName) },
            ]}
            value={keepsGroup}
            onChange={setKeepsGroup}
          />
        )}
        <Parts shown={shown} />
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={onClose} />}
          act={
            <Button type="submit" variant="primary" busy={busy}>
              {FILTER_MESSAGES.saved.save}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}

interface TheirsProps {
  readonly chosen: SavedCondition | undefined;
  /** The condition as it was when the dialog opened. */
  readonly base: SavedCondition | undefined;
}

/** Shows the version of the chosen condition that another member has saved. */
function Theirs({ chosen, base }: TheirsProps) {
  if (chosen === undefined || chosen.version === base?.version) return null;
  return (
    <TheirChanges theirs={[{ label: messages.content, value: contentOf(readSaved(chosen)).join(LIST_SEPARATOR) }]} />
  );
}

/** Lists the parts of the condition. */
function Parts({ shown }: { readonly shown: WholeCondition }) {
  const parts = contentOf(shown);
  return (
    <div>
      {messages.parts}
      <ul className="row">
        {parts.map((part) => (
          <li key={part}>
            <Chip title={part}>{part}</Chip>
          </li>
        ))}
      </ul>
    </div>
  );
}
