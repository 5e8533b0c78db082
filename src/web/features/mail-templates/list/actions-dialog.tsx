import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import { SelectField } from '#web/components/select-field.tsx';
import type { ApiResult } from '#web/lib/call.ts';
import { toast } from '#web/lib/toast.ts';
import { archiveTemplate, moveTemplate, reloadTemplates, restoreTemplate } from './change-templates.ts';
import type { Folder, TemplateRow } from './list-templates.ts';
import styles from './template-list.module.css';
import { FOLDER_MESSAGES, TEMPLATE_LIST_MESSAGES as messages } from './words.ts';

interface Props {
  readonly template: TemplateRow;
  readonly folders: readonly Folder[];
  readonly renderLink: (template: TemplateRow) => ReactNode;
  readonly onCopy: () => void;
  readonly onClose: () => void;
}

const { actions } = messages;

/** What can be done with a template of the list. */
export function ActionsDialog({ template, folders, renderLink, onCopy, onClose }: Props) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const isArchived = template.archived === 1;

  async function act(call: Promise<ApiResult<unknown>>, done: string): Promise<void> {
    setBusy(true);
    const answer = await call;
    setBusy(false);
    if (!answer.ok) {
      setFault(answer.message);
      return;
    }
    onClose();
    toast('success', done);
    await reloadTemplates(client);
  }

  function copy(): void {
    onClose();
    onCopy();
  }

  return (
    <Dialog title={messages.actionsOf(template.name)} onClose={() => !busy && onClose()}>
      <p className={styles.opened}>{renderLink(template)}</p>
      {fault === undefined ? null : (
        <p className={styles.fault} role="alert">
          {fault}
        </p>
      )}
      {folders.length === 0 || isArchived ? null : (
        <FolderField
          folders={folders}
          folderId={template.folder_id}
          busy={busy}
          onMove={(folderId) => void act(moveTemplate(template.id, folderId), messages.moved(template.name))}
        />
      )}
      <div className={styles.acts}>
        <Button busy={busy} data-autofocus onClick={copy}>
          {actions.copy}
        </Button>
        {isArchived ? (
          <Button busy={busy} onClick={() => void act(restoreTemplate(template.id), messages.restored(template.name))}>
            {actions.restore}
          </Button>
        ) : (
          <Button busy={busy} onClick={() => void act(archiveTemplate(template.id), messages.archived(template.name))}>
            {actions.archive}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

interface FolderProps {
  readonly folders: readonly Folder[];
  readonly folderId: number | null;
  readonly busy: boolean;
  readonly onMove: (folderId: number | null) => void;
}

/** The folder of a template; another one moves it at once. */
function FolderField({ folders, folderId, busy, onMove }: FolderProps) {
  return (
    <SelectField
      label={FOLDER_MESSAGES.move.to}
      disabled={busy}
      choices={[
        { value: '', label: FOLDER_MESSAGES.move.none },
        ...folders.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
      value={String(folderId ?? '')}
      onChange={(folder) => onMove(folder === '' ? null : Number(folder))}
    />
  );
}
