import type { Import } from '#contract/imports.ts';
import { readId } from '#web/lib/list-params.ts';
import { useSearchParams } from '#web/lib/router/use-router.ts';

export const STEPS = ['file', 'columns', 'check', 'run'] as const;
export type Step = (typeof STEPS)[number];

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

export interface Place {
  readonly id: number | undefined;
  readonly step: Step | undefined;
}

/** Returns the query string of a place in an import. */
export const placeSearch = ({ id, step }: Place): string => {
  const search = new URLSearchParams();
  if (id !== undefined) search.set('import', String(id));
  if (step !== undefined) search.set('step', step);
  return search.size === 0 ? '' : `?${search}`;
};

/** Reads and writes the import and its step in the address, for reloads and the back button. */
export function usePlace() {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('step');
  const place: Place = {
    id: readId(search.get('import')),
    step: STEPS.find((step) => step === asked),
  };
  const goTo = (next: Place, { replace = false } = {}) => setSearch(placeSearch(next), { replace });
  return { ...place, goTo };
}
