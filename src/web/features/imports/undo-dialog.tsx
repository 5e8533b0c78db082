import type { Import } from '#contract/imports.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { serverNow } from '#web/lib/server-clock.ts';
import { ActDialog } from './act-dialog.tsx';
import { postUndo } from './use-act.ts';
import { RUN_MESSAGES } from './words.ts';

/** Whether an import can still be undone. */
export const canUndo = ({ state, undo_until: until }: Pick<Import, 'state' | 'undo_until'>): boolean =>
  state === 'imported' && until !== null && until > formatSecond(serverNow());

interface Props {
  readonly id: number;
  readonly counts: NonNullable<Import['counts']>;
  readonly onClose: () => void;
}

/** Asks before an import is undone, with the numbers. */
export function UndoDialog({ id, counts, onClose }: Props) {
  const { question, ...texts } = RUN_MESSAGES.undoDialog;
  const numbers = question(counts.added, counts.updated);
  return <ActDialog id={id} {...texts} question={numbers} send={postUndo(id)} onClose={onClose} />;
}
