import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import type { ApiResult } from '#web/lib/api/call.ts';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { addFolder, reloadTemplates, removeFolder, renameFolder } from './change-templates.ts';
import { type Folder, templateList } from './list-templates.ts';
import styles from './template-list.module.css';
import { FOLDER_MESSAGES as messages } from './words.ts';

/** Creates, renames and removes the folders of templates. */
export function FoldersDialog({ onClose }: { readonly onClose: () => void }) {
  const { data } = useQuery(templateList);
  const { keyOf, forget } = useOnceKey();
  const [added, setAdded] = useState(0);
  const folders = data?.folders ?? [];
  return (
    <Dialog title={messages.title} grows onClose={onClose}>
      <p className="note">{folders.length === 0 ? messages.none : messages.help}</p>
      <ul className={`stack ${styles.folders}`}>
        {folders.map((folder) => (
          <li key={folder.id}>
            <OneFolder folder={folder} />
          </li>
        ))}
      </ul>
      <NameForm
        key={added}
        label={messages.newName}
        initial=""
        action={messages.create}
        isPrimary
        save={(name) => addFolder(name, keyOf(name))}
        onSaved={(name) => {
          toast('success', messages.created(name));
          forget();
          setAdded(added + 1);
        }}
      />
    </Dialog>
  );
}

function OneFolder({ folder }: { readonly folder: Folder }) {
  const { id, name } = folder;
  const client = useQueryClient();
  const [fault, setFault] = useState<string>();
  const [isRemoving, setRemoving] = useState(false);

  async function remove(): Promise<void> {
    if (isRemoving) return;
    setRemoving(true);
    setFault(undefined);
    const answer = await removeFolder(id);
    setRemoving(false);
    if (!answer.ok) {
      setFault(answer.message);
      return;
    }
    toast('success', messages.removed(name));
    await reloadTemplates(client);
  }

  return (
    <NameForm
      label={messages.nameOf(name)}
      initial={name}
      action={messages.save}
      fault={fault}
      save={(next) => renameFolder(folder, next)}
      onSaved={(next) => toast('success', messages.renamed(next))}
    >
      <Button aria-label={messages.removeOf(name)} busy={isRemoving} onClick={() => void remove()}>
        {messages.remove}
      </Button>
    </NameForm>
  );
}

interface NameFormProps {
  readonly label: string;
  readonly initial: string;
  readonly action: string;
  readonly isPrimary?: boolean;
  readonly fault?: string | undefined;
  readonly save: (name: string) => Promise<ApiResult<unknown>>;
  readonly onSaved: (name: string) => void;
  readonly children?: React.ReactNode;
}

/** Shows the field for a folder's name, with the button that saves it. */
function NameForm({ label, initial, action, isPrimary = false, fault, save, onSaved, children }: NameFormProps) {
  const client = useQueryClient();
  const [name, setName] = useState(initial);
  const [base, setBase] = useState(initial);
  // Somebody else has renamed it while this form was open.
  const isRenamed = initial !== base && initial !== name.trim();
  if (initial !== base && (name === base || name.trim() === initial)) {
    setBase(initial);
    setName(initial);
  }
  const [problem, setProblem] = useState<{ readonly text: string; readonly isConflict: boolean }>();
  // The notice then shows the problem in place of the field.
  const isInNotice = problem?.isConflict === true && isRenamed;
  const [busy, setBusy] = useState(false);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    const answer = await save(name);
    const isConflict = !answer.ok && answer.code === 'folder_changed';
    if (isConflict) await reloadTemplates(client);
    setBusy(false);
    if (!answer.ok) {
      setProblem({ text: answer.details?.[0]?.message ?? answer.message, isConflict });
      return;
    }
    onSaved(name.trim());
    setName(name.trim());
    await reloadTemplates(client);
  }

  return (
    <>
      <TheirChanges
        message={isInNotice ? problem.text : undefined}
        theirs={isRenamed ? [{ label: messages.name, value: initial }] : []}
      >
        <Button
          onClick={() => {
            setBase(initial);
            setName(initial);
            setProblem(undefined);
          }}
        >
          {COMMON_MESSAGES.theirChanges.load}
        </Button>
      </TheirChanges>
      <form className={`row ${styles.folder}`} onSubmit={(event) => void submit(event)}>
        <TextField
          label={label}
          className={styles.grow}
          error={isInNotice ? fault : (problem?.text ?? fault)}
          maxLength={MAX_NAME_LENGTH}
          value={name}
          onChange={(value) => {
            setName(value);
            setProblem(undefined);
          }}
        />
        <Button type="submit" variant={isPrimary ? 'primary' : 'default'} busy={busy} disabled={name === initial}>
          {action}
        </Button>
        {children}
      </form>
    </>
  );
}
