import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { reservationsPath } from '#web/lib/address/params.ts';
import type { ApiFailure, ApiResult } from '#web/lib/api/call.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { archiveTemplate, moveTemplate, reloadTemplates, restoreTemplate } from './change-templates.ts';
import type { Folder, TemplateRow } from './list-templates.ts';
import { People, usersOf } from './template-card.tsx';
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

/** Shows the actions on a template of the list. */
export function ActionsDialog({ template, folders, renderLink, onCopy, onClose }: Props) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<ApiFailure>();
  const [isAsking, setAsking] = useState(false);
  const isArchived = template.archived === 1;
  const users = usersOf(template);

  async function act(call: Promise<ApiResult<unknown>>, done: string): Promise<void> {
    setBusy(true);
    const answer = await call;
    setBusy(false);
    if (!answer.ok) {
      setFault(answer);
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

  const archive = () => void act(archiveTemplate(template.id), messages.archived(template.name));
  const refusal =
    fault === undefined ? null : (
      <Notice tone="bad" role="alert" className={dialog.problems}>
        {fault.message}
      </Notice>
    );

  if (fault?.code === 'template_in_use') return <InUse name={template.name} refusal={refusal} onClose={onClose} />;
  if (isAsking)
    return <AskArchive template={template} refusal={refusal} busy={busy} onArchive={archive} onClose={onClose} />;
  return (
    <Dialog title={messages.actionsOf(template.name)} onClose={() => !busy && onClose()}>
      <p className={styles.opened}>{renderLink(template)}</p>
      {refusal}
      {folders.length === 0 || isArchived ? null : (
        <FolderField
          folders={folders}
          folderId={template.folder_id}
          busy={busy}
          onMove={(folderId) => void act(moveTemplate(template.id, folderId), messages.moved(template.name))}
        />
      )}
      <div className="acts">
        <Button busy={busy} data-autofocus onClick={copy}>
          {actions.copy}
        </Button>
        {isArchived ? (
          <Button busy={busy} onClick={() => void act(restoreTemplate(template.id), messages.restored(template.name))}>
            {actions.restore}
          </Button>
        ) : (
          <Button busy={busy} onClick={users.length === 0 ? archive : () => setAsking(true)}>
            {actions.archive}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

interface AskProps extends Pick<Props, 'template' | 'onClose'> {
  readonly refusal: ReactNode;
  readonly busy: boolean;
  readonly onArchive: () => void;
}

/** Asks before a template that is in use is archived. */
function AskArchive({ template, refusal, busy, onArchive, onClose }: AskProps) {
  const users = usersOf(template);
  return (
    <Dialog title={messages.archiving.title} onClose={() => !busy && onClose()}>
      {refusal}
      <p className={dialog.question}>{messages.archiving.question(template.name)}</p>
      <p>{messages.archiving.help(users.length)}</p>
      <People label={messages.senders} people={users} shown={SHOWN_USERS} />
      <DialogFoot
        stay={<CancelButton busy={busy} data-autofocus onClick={onClose} />}
        act={
          <Button variant="primary" busy={busy} onClick={onArchive}>
            {actions.archive}
          </Button>
        }
      />
    </Dialog>
  );
}

interface InUseProps extends Pick<AskProps, 'refusal' | 'onClose'> {
  readonly name: string;
}

/** Leads to the reservations for which a template is kept: archiving it again would be refused again. */
const InUse = ({ name, refusal, onClose }: InUseProps) => (
  <Dialog title={messages.archiving.title} onClose={onClose}>
    <p className={styles.opened}>{name}</p>
    {refusal}
    <DialogFoot
      stay={<Button onClick={onClose}>{COMMON_MESSAGES.actions.close}</Button>}
      act={
        <ButtonLink variant="primary" to={reservationsPath({ mode: 'all' })}>
          {messages.archiving.reservations}
        </ButtonLink>
      }
    />
  </Dialog>
);

/** The number of names shown; further people are only counted. */
const SHOWN_USERS = 8;

interface FolderProps {
  readonly folders: readonly Folder[];
  readonly folderId: number | null;
  readonly busy: boolean;
  readonly onMove: (folderId: number | null) => void;
}

/** Selects the folder of a template, and moves it at once. */
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
