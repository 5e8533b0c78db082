import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { setSavedCondition } from '../filter/filter-state.ts';
import { FILTER_MESSAGES } from '../filter/words.ts';
import { contentOf } from './content-of.ts';
import { NameFields, nameFault } from './name-fields.tsx';
import { isOutdated, putCondition, readSaved, reloadSaved, type SavedCondition } from './saved-condition.ts';
import { CONDITION_MESSAGES as messages } from './words.ts';

interface Props {
  readonly saved: SavedCondition;
  readonly onClose: () => void;
}

/** Renames, shares or removes a saved condition. */
export default function EditDialog({ saved, onClose }: Props) {
  const client = useQueryClient();
  const [base] = useState(saved);
  const [name, setName] = useState(saved.name);
  const [isShared, setShared] = useState(String(saved.is_shared));
  const [fault, setFault] = useState<string>();
  /** The server's sentence: who changed the condition meanwhile. */
  const [conflict, setConflict] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [isRemoving, setRemoving] = useState(false);

  async function change(update: Parameters<typeof putCondition>[1], done: string): Promise<void> {
    setBusy(true);
    const answer = await putCondition(saved, update);
    if (answer.ok || isOutdated(answer)) await reloadSaved(client);
    setBusy(false);
    if (!answer.ok && (answer.status !== 404 || update.active !== 0)) {
      setRemoving(false);
      if (answer.code === 'condition_changed') setConflict(answer.message);
      else setFault(nameFault(answer));
      return;
    }
    if (update.active === 0) setSavedCondition(null);
    toast('success', done);
    onClose();
  }

  function save(event: SubmitEvent): void {
    event.preventDefault();
    void change({ name, is_shared: isShared === '1' ? 1 : 0 }, messages.done);
  }

  return (
    <Dialog title={messages.editTitle} onClose={() => !busy && onClose()}>
      <form onSubmit={save} className="stack">
        <TheirChanges message={conflict} theirs={busy || saved.version === base.version ? [] : theirsOf(saved)}>
          <Button onClick={onClose}>{COMMON_MESSAGES.theirChanges.load}</Button>
        </TheirChanges>
        <NameFields
          name={name}
          fault={fault}
          isShared={isShared}
          onName={(value) => {
            setName(value);
            setFault(undefined);
          }}
          onShared={setShared}
        />
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={onClose} />}
          others={
            <Button variant="quiet" busy={busy} onClick={() => setRemoving(true)}>
              {messages.remove}
            </Button>
          }
          act={
            <Button type="submit" variant="primary" busy={busy}>
              {COMMON_MESSAGES.actions.save}
            </Button>
          }
        />
      </form>
      {isRemoving ? (
        <RemoveQuestion
          saved={saved}
          busy={busy}
          onStay={() => setRemoving(false)}
          onRemove={() => void change({ active: 0 }, messages.removed(saved.name))}
        />
      ) : null}
    </Dialog>
  );
}

/** A condition as another member has saved it. */
const theirsOf = (saved: SavedCondition) => [
  { label: messages.name, value: saved.name },
  { label: messages.owner, value: saved.is_shared === 1 ? FILTER_MESSAGES.saved.everybody : messages.mine },
  { label: messages.content, value: contentOf(readSaved(saved)).join(LIST_SEPARATOR) },
];

interface QuestionProps {
  readonly saved: SavedCondition;
  readonly busy: boolean;
  readonly onStay: () => void;
  readonly onRemove: () => void;
}

function RemoveQuestion({ saved, busy, onStay, onRemove }: QuestionProps) {
  return (
    <Dialog title={messages.removeTitle} onClose={() => !busy && onStay()}>
      <p className={dialog.question}>{messages.removeQuestion(saved.name)}</p>
      <p className={dialog.consequence}>
        {saved.is_shared === 1 ? messages.removeForAllConsequence : messages.removeMineConsequence}
      </p>
      <DialogFoot
        stay={<CancelButton busy={busy} onClick={onStay} data-autofocus />}
        act={
          <Button variant="danger" busy={busy} onClick={onRemove}>
            {messages.remove}
          </Button>
        }
      />
    </Dialog>
  );
}
