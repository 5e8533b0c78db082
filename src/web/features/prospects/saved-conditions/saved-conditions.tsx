import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import type { ProspectFilter } from '#contract/prospects-filter.ts';
import { Button } from '#web/components/button.tsx';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import type { ListStatus } from '#web/lib/address/params.ts';
import { loadPart } from '#web/lib/load-part.ts';
import { setSavedCondition, useFilter } from '../filter/filter-state.ts';
import { FILTER_MESSAGES } from '../filter/words.ts';
import {
  isChanged,
  isEmptyCondition,
  readSaved,
  type SavedCondition,
  savedConditions,
  type WholeCondition,
} from './saved-condition.ts';
import styles from './saved-conditions.module.css';

const SaveDialog = lazy(() => loadPart(() => import('./save-dialog.tsx')));
const EditDialog = lazy(() => loadPart(() => import('./edit-dialog.tsx')));

/** What the list shows besides the filter. */
export interface ListPlace {
  readonly status: ListStatus | undefined;
  readonly group: { readonly id: number; readonly group_name: string } | undefined;
  /** Shows the list of a condition. Without a group, the present one stays. */
  readonly onApply: (condition: WholeCondition) => void;
}

/** Returns the saved condition that the user has chosen, if it still exists. */
export function useChosenCondition(): SavedCondition | undefined {
  const { data } = useQuery(savedConditions);
  const id = useFilter((state) => state.saved_condition);
  return data?.find((saved) => saved.id === id);
}

/** Returns the chosen condition while the list shows it or a change of it: one without any part is another list. */
function useShownCondition(shown: WholeCondition): SavedCondition | undefined {
  const chosen = useChosenCondition();
  return chosen !== undefined && isEmptyCondition(shown) && isChanged(chosen, shown) ? undefined : chosen;
}

interface Props {
  readonly filter: ProspectFilter;
  readonly list: ListPlace;
  readonly onApply: (condition: WholeCondition) => void;
  /** Returns whether the typed filter has a fault, which gets the focus. */
  readonly blockFaulty: () => boolean;
}

/** Chooses a saved condition, and saves the present one. */
export function SavedConditions({ filter, list, onApply, blockFaulty }: Props) {
  const { data: all = [] } = useQuery(savedConditions);
  const [dialog, setDialog] = useState<'save' | 'edit' | null>(null);
  const shown = { filter, status: list.status, groupId: list.group?.id };
  const chosen = useShownCondition(shown);
  const hasChanged = chosen !== undefined && isChanged(chosen, shown);
  const { save, edit, editOf } = FILTER_MESSAGES.saved;

  function choose(id: string): void {
    const wanted = all.find((saved) => String(saved.id) === id);
    setSavedCondition(wanted?.id ?? null);
    if (wanted !== undefined) onApply(readSaved(wanted));
  }

  const close = () => setDialog(null);
  return (
    <>
      {all.length === 0 ? null : <Select all={all} chosen={chosen} hasChanged={hasChanged} onChoose={choose} />}
      {chosen === undefined ? null : (
        <Button
          variant="quiet"
          aria-haspopup="dialog"
          aria-label={editOf(chosen.name)}
          onClick={() => setDialog('edit')}
        >
          {edit}
        </Button>
      )}
      {isEmptyCondition(shown) || (chosen !== undefined && !hasChanged) ? null : (
        <Button variant="quiet" aria-haspopup="dialog" onClick={() => !blockFaulty() && setDialog('save')}>
          {save}
        </Button>
      )}
      <PartBoundary>
        {dialog === 'save' ? (
          <SaveDialog shown={shown} groupName={list.group?.group_name ?? ''} chosen={chosen} onClose={close} />
        ) : null}
        {dialog === 'edit' && chosen !== undefined ? <EditDialog saved={chosen} onClose={close} /> : null}
      </PartBoundary>
    </>
  );
}

/** The value of the option of a changed condition. The option of the condition itself restores it. */
const CHANGED = 'changed';

interface SelectProps {
  readonly all: readonly SavedCondition[];
  readonly chosen: SavedCondition | undefined;
  readonly hasChanged: boolean;
  readonly onChoose: (id: string) => void;
}

function Select({ all, chosen, hasChanged, onChoose }: SelectProps) {
  const { label, changed, shared, own } = FILTER_MESSAGES.saved;
  const groups = [
    { name: own, saved: all.filter(({ is_shared }) => is_shared === 0) },
    { name: shared, saved: all.filter(({ is_shared }) => is_shared === 1) },
  ];
  return (
    <select
      className={styles.select}
      aria-label={label}
      value={hasChanged ? CHANGED : String(chosen?.id ?? '')}
      onChange={({ target: { value } }) => value !== CHANGED && onChoose(value)}
    >
      <option value="">{label}</option>
      {chosen !== undefined && hasChanged ? <option value={CHANGED}>{changed(chosen.name)}</option> : null}
      {groups.map(({ name, saved }) =>
        saved.length === 0 ? null : (
          <optgroup key={name} label={name}>
            {saved.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </optgroup>
        ),
      )}
    </select>
  );
}
