import type { Import } from '#contract/imports.ts';
import { ActDialog } from './act-dialog.tsx';
import { forgetImportDraft } from './column-draft.ts';
import { stopUpload } from './upload-state.ts';
import { postDeleteFile, postDiscard } from './use-act.ts';
import { RUN_MESSAGES } from './words.ts';

const DISCARDABLE: readonly Import['state'][] = ['uploading', 'uploaded', 'checked'];

/** Whether an import has changed nothing, and no worker is busy with it. */
export const canDiscard = ({ state }: Pick<Import, 'state'>): boolean => DISCARDABLE.includes(state);

/** Whether the file of an import that has ended is still stored. */
export const canDeleteFile = ({ state, uploaded }: Pick<Import, 'state' | 'uploaded'>): boolean =>
  (state === 'imported' || state === 'undone') && (uploaded ?? 0) > 0;

interface Props {
  readonly id: number;
  readonly name: string;
  readonly onClose: () => void;
}

/** Asks before an upload that was not imported is deleted. */
export function DiscardDialog({ id, name, onClose }: Props) {
  const { question, ...texts } = RUN_MESSAGES.discardDialog;
  const forget = () => {
    stopUpload(id);
    forgetImportDraft(id);
  };
  return (
    <ActDialog id={id} {...texts} question={question(name)} send={postDiscard(id)} onDone={forget} onClose={onClose} />
  );
}

/** Asks before the file of an import that has ended is deleted. */
export function DeleteFileDialog({ id, name, onClose }: Props) {
  const { question, ...texts } = RUN_MESSAGES.deleteFileDialog;
  return <ActDialog id={id} {...texts} question={question(name)} send={postDeleteFile(id)} onClose={onClose} />;
}
