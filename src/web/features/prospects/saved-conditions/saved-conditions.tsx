import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import { useIsFetching, useQuery } from '@tanstack/react-query';
import { lazy, useEffect, useState } from 'react';
import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { CONDITION_CHIPS } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { Menu } from '#web/components/dialog/menu.tsx';
import { Chip } from '#web/components/inline/chip.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import type { ListStatus } from '#web/lib/address/params.ts';
import { ATTACK_LIST, PROSPECT_LIST } from '#web/lib/api/query-keys.ts';
import { withNote } from '#web/lib/phrases.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { setSavedCondition, useFilter } from '../filter/filter-state.ts';
import { FILTER_MESSAGES } from '../filter/words.ts';
import {
  conditionCounts,
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
const GoneNote = lazy(() => loadPart(() => import('./gone-note.tsx')));

/** The parameters of the list besides the filter. */
export interface ListPlace {
  readonly status: ListStatus | undefined;
  readonly group: { readonly id: number; readonly group_name: string } | undefined;
  /** Applies a condition to the list. Without a group, the current one stays. */
  readonly onApply: (condition: WholeCondition) => void;
}

/** Returns the saved condition that the user has chosen, if it still exists. */
function useChosenCondition(): SavedCondition | undefined {
  const { data } = useQuery(savedConditions);
  const id = useFilter((state) => state.saved_condition);
  return data?.find((saved) => saved.id === id);
}

/** Returns the chosen condition while the list has at least one of its parts; a list without any is another one. */
function useShownCondition(shown: WholeCondition): SavedCondition | undefined {
  const chosen = useChosenCondition();
  return chosen !== undefined && isEmptyCondition(shown) && isChanged(chosen, shown) ? undefined : chosen;
}

/** Shows what the chosen condition has lost, if it has lost something. */
export function GonePart() {
  const chosen = useChosenCondition();
  if (chosen === undefined || chosen.gone.length === 0) return null;
  return (
    <PartBoundary>
      <GoneNote chosen={chosen} />
    </PartBoundary>
  );
}

interface Props {
  readonly filter: ProspectFilter;
  readonly list: ListPlace;
  readonly onApply: (condition: WholeCondition) => void;
  /** Focuses an invalid field of the typed filter. @returns whether there is one */
  readonly blockFaulty: () => boolean;
}

/** Returns the chips of the saved conditions, and the buttons that edit the chosen one or save the current list. */
export function useSavedConditions({ filter, list, onApply, blockFaulty }: Props) {
  const { data: all = [] } = useQuery(savedConditions);
  const [dialog, setDialog] = useState<'save' | 'edit' | null>(null);
  const shown = { filter, status: list.status, groupId: list.group?.id };
  const chosen = useShownCondition(shown);
  const hasChanged = chosen !== undefined && isChanged(chosen, shown);
  const { save, edit, editOf } = FILTER_MESSAGES.saved;

  /** Applies a condition; a second press on the unchanged one removes it. */
  function press(saved: SavedCondition): void {
    const isLeft = saved.id === chosen?.id && !hasChanged;
    setSavedCondition(isLeft ? null : saved.id);
    onApply(isLeft ? { filter: {}, status: undefined, groupId: undefined } : readSaved(saved));
  }

  const maySave = useMay('addSavedCondition');
  const canSave = !isEmptyCondition(shown) && (chosen === undefined || hasChanged);
  const chips = <Chips all={all} chosen={chosen} hasChanged={hasChanged} groupId={shown.groupId} onPress={press} />;
  const acts = (
    <>
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
      {canSave ? (
        <Button variant="quiet" aria-haspopup="dialog" onClick={() => !blockFaulty() && setDialog('save')}>
          {save}
        </Button>
      ) : null}
      <Dialogs dialog={dialog} shown={shown} group={list.group} chosen={chosen} onClose={() => setDialog(null)} />
    </>
  );
  return { chips, acts: maySave && (canSave || chosen !== undefined) ? acts : null };
}

interface DialogsProps extends Pick<ListPlace, 'group'> {
  readonly dialog: 'save' | 'edit' | null;
  readonly shown: WholeCondition;
  readonly chosen: SavedCondition | undefined;
  readonly onClose: () => void;
}

const Dialogs = ({ dialog, shown, group, chosen, onClose }: DialogsProps) => (
  <PartBoundary>
    {dialog === 'save' ? (
      <SaveDialog shown={shown} groupName={group?.group_name ?? ''} chosen={chosen} onClose={onClose} />
    ) : null}
    {dialog === 'edit' && chosen !== undefined ? <EditDialog saved={chosen} onClose={onClose} /> : null}
  </PartBoundary>
);

interface ChipsProps {
  readonly all: readonly SavedCondition[];
  readonly chosen: SavedCondition | undefined;
  readonly hasChanged: boolean;
  readonly groupId: number | undefined;
  readonly onPress: (saved: SavedCondition) => void;
}

/** Shows the first conditions and the chosen one as chips; the others are in a menu, on phones chips too. */
function Chips({ all, chosen, hasChanged, groupId, onPress }: ChipsProps) {
  const isNarrow = useNarrowScreen();
  const counts = useCounts(all.slice(0, CONDITION_CHIPS), groupId);
  const first = isNarrow ? all : all.slice(0, CONDITION_CHIPS);
  const rest = all.slice(first.length).filter((saved) => saved !== chosen);
  if (all.length === 0) return null;
  const { label, everybody, changed, others, othersName } = FILTER_MESSAGES.saved;
  const nameOf = (saved: SavedCondition) => (saved.is_shared === 1 ? withNote(saved.name, everybody) : saved.name);
  const chips = chosen === undefined || first.includes(chosen) ? first : [...first, chosen];
  return (
    <ul className={`row ${styles.chips}`} aria-label={label}>
      {chips.map((saved) => (
        <li key={saved.id}>
          <Chip
            isChosen={saved === chosen}
            title={nameOf(saved)}
            note={counts?.get(saved.id)}
            onPress={() => onPress(saved)}
          >
            {saved === chosen && hasChanged ? changed(saved.name) : saved.name}
          </Chip>
        </li>
      ))}
      {rest.length === 0 ? null : (
        <li>
          <Menu
            className={styles.others}
            label={
              <>
                {others(rest.length)}
                <span className="visually-hidden">{othersName}</span>
                <IconChevronDown size={14} aria-hidden />
              </>
            }
          >
            {rest.map((saved) => (
              <button key={saved.id} type="button" title={nameOf(saved)} onClick={() => onPress(saved)}>
                <span>{saved.name}</span>
              </button>
            ))}
          </Menu>
        </li>
      )}
    </ul>
  );
}

/** How long in ms no list may be loading before the conditions are counted. */
const QUIET_MS = 150;

/** Counts the companies of each condition after the list has loaded, which has priority. */
function useCounts(saved: readonly SavedCondition[], groupId: number | undefined) {
  const loading = useIsFetching({
    predicate: ({ queryKey: [name] }) => name === PROSPECT_LIST || name === ATTACK_LIST,
  });
  const [isQuiet, setQuiet] = useState(false);
  useEffect(() => {
    if (loading > 0 || groupId === undefined) return undefined;
    const timer = setTimeout(() => setQuiet(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, [loading, groupId]);
  const { data } = useQuery({
    ...conditionCounts(groupId ?? 0, saved),
    enabled: isQuiet && groupId !== undefined && saved.length > 0,
  });
  return data;
}
