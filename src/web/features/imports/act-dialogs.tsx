import type { Import } from '#contract/imports/imports.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import styles from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import type { ApiResult } from '#web/lib/api/call.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { forgetImportDraft } from './columns/column-draft.ts';
import { stopUpload } from './upload-state.ts';
import { postDeleteFile, postDiscard, postUndo, useAct } from './use-act.ts';
import { RUN_MESSAGES } from './words.ts';

interface ActProps {
  readonly id: number;
  readonly title: string;
  readonly question: string;
  readonly consequence: string;
  readonly button: string;
  readonly send: () => Promise<ApiResult<unknown>>;
  /** Called after the action, before the dialog closes. */
  readonly onDone?: () => void;
  readonly onClose: () => void;
}

/** Asks before an action on an import. The dialog stays open and shows a refusal. */
function ActDialog({ id, title, question, consequence, button, send, onDone, onClose }: ActProps) {
  const { busy, fault, act } = useAct(id);
  const done = () => {
    onDone?.();
    onClose();
  };
  return (
    <Dialog title={title} onClose={() => !busy && onClose()}>
      <p className={styles.question}>{question}</p>
      <p className={styles.consequence}>{consequence}</p>
      {fault === null ? null : (
        <Notice tone="bad" role="alert">
          {fault}
        </Notice>
      )}
      <DialogFoot
        stay={<CancelButton busy={busy} onClick={onClose} data-autofocus />}
        act={
          <Button variant="danger" busy={busy} onClick={() => void act(send, id, done)}>
            {button}
          </Button>
        }
      />
    </Dialog>
  );
}

const DISCARDABLE: readonly Import['state'][] = ['uploading', 'uploaded', 'checked'];

/** Whether an import has changed nothing, and no worker is busy with it. */
export const canDiscard = ({ state }: Pick<Import, 'state'>): boolean => DISCARDABLE.includes(state);

/** Whether the file of a completed import is still stored. */
export const canDeleteFile = ({ state, uploaded }: Pick<Import, 'state' | 'uploaded'>): boolean =>
  (state === 'imported' || state === 'undone') && (uploaded ?? 0) > 0;

interface DiscardProps {
  readonly id: number;
  readonly name: string;
  readonly onClose: () => void;
}

/** Asks before an upload that was not imported is deleted. */
export function DiscardDialog({ id, name, onClose }: DiscardProps) {
  const { question, ...texts } = RUN_MESSAGES.discardDialog;
  const forget = () => {
    stopUpload(id);
    forgetImportDraft(id);
  };
  return (
    <ActDialog id={id} {...texts} question={question(name)} send={postDiscard(id)} onDone={forget} onClose={onClose} />
  );
}

/** Asks before the file of a completed import is deleted. */
export function DeleteFileDialog({ id, name, onClose }: DiscardProps) {
  const { question, ...texts } = RUN_MESSAGES.deleteFileDialog;
  return <ActDialog id={id} {...texts} question={question(name)} send={postDeleteFile(id)} onClose={onClose} />;
}

/** Whether an import can still be undone. */
export const canUndo = ({ state, undo_until: until }: Pick<Import, 'state' | 'undo_until'>): boolean =>
  state === 'imported' && until !== null && until > formatSecond(serverNow());

interface UndoProps {
  readonly id: number;
  readonly counts: NonNullable<Import['counts']>;
  readonly onClose: () => void;
}

/** Asks before an import is undone, and shows the numbers. */
export function UndoDialog({ id, counts, onClose }: UndoProps) {
  const { question, ...texts } = RUN_MESSAGES.undoDialog;
  const { withPersons } = RUN_MESSAGES;
  const { added, updated, people } = counts;
  const numbers = question(withPersons(added, people?.added ?? 0), withPersons(updated, people?.updated ?? 0));
  return <ActDialog id={id} {...texts} question={numbers} send={postUndo(id)} onClose={onClose} />;
}
