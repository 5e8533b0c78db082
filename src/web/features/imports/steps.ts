import type { Import } from '#contract/imports.ts';
import type { Step } from '#web/lib/address/params.ts';

const OPEN: Readonly<Record<Import['state'], readonly Step[]>> = {
  uploading: ['file', 'columns'],
  uploaded: ['file', 'columns'],
  checking: ['check'],
  checked: ['file', 'columns', 'check'],
  importing: ['run'],
  imported: ['run'],
  undoing: ['run'],
  undone: ['run'],
};

/** Returns the steps that an import can show. */
export const openSteps = ({ state }: Pick<Import, 'state'>): readonly Step[] => OPEN[state];

/** Returns the step to show: the one in the address where it is open, else the one where the import is. */
export function shownStep(found: Pick<Import, 'state' | 'message'>, asked: Step | undefined): Step {
  const open = openSteps(found);
  if (asked !== undefined && open.includes(asked)) return asked;
  if (found.state === 'uploading') return 'file';
  // A check that has failed leads back to what may be wrong.
  if (found.state === 'uploaded') return found.message === null && asked !== 'check' ? 'file' : 'columns';
  return open.at(-1) ?? 'file';
}
