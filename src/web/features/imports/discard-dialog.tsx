import type { Import } from '#contract/import.ts';
import { ActDialog } from './act-dialog.tsx';
import { forgetImportDraft } from './column-draft.ts';
import { stopUpload } from './upload-state.ts';
import { postDiscard } from './use-act.ts';
import { RUN_MESSAGES } from './words.ts';

const DISCARDABLE: readonly Import['state'][] = ['uploading', 'uploaded', 'checked'];

/** Whether an import has changed nothing, and no worker is busy with it. */
export const canDiscard = ({ state }: Pick<Import, 'state'>): boolean => DISCARDABLE.includes(state);

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
