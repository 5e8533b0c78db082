import IconAdjustmentsHorizontal from '@tabler/icons-react/dist/esm/icons/IconAdjustmentsHorizontal.mjs';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { type ReactNode, type RefObject, useId, useRef } from 'react';
import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { MAX_SEARCH_WORDS } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { DockedAction } from '#web/components/dialog/docked-action.tsx';
import field from '#web/components/field/field.module.css';
import { useShownTotal } from '#web/components/inline/matches.tsx';
import { isFiltered } from '#web/lib/address/params.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { pastedCells } from '#web/lib/screen/pasted-cells.ts';
import type { WholeCondition } from '../saved-conditions/saved-condition.ts';
import { GonePart, type ListPlace, useSavedConditions } from '../saved-conditions/saved-conditions.tsx';
import { FilterChips } from './filter-chips.tsx';
import { type Faults, type FilterField, type TextFault, textFault, withoutOwn } from './filter-draft.ts';
import { FilterFields } from './filter-fields.tsx';
import styles from './filter-panel.module.css';
import { setFilterOpen, setSavedCondition, useFilter } from './filter-state.ts';
import { useFilterCheck } from './use-filter-check.ts';
import { useFilterDraft } from './use-filter-draft.ts';
import { FILTER_MESSAGES } from './words.ts';

interface Props {
  readonly filter: ProspectFilter;
  readonly onChange: (filter: ProspectFilter) => void;
  readonly ref: RefObject<HTMLElement | null>;
  readonly list: ListPlace;
  /** Shown before the search and the filter button, on the same line if they fit. */
  readonly selects?: ReactNode;
  /** On phones shown at the end of the selects' line. */
  readonly tools?: ReactNode;
}

export function FilterPanel({ filter, onChange, ref, list, selects, tools }: Props) {
  const { draft, faults, change, drop, clear, replace, composition } = useFilterDraft(filter, onChange);
  const { blockFaulty, isWaiting } = useFilterCheck(ref, filter);
  const open = useFilter((state) => state.is_filter_open);
  const isNarrow = useNarrowScreen();
  const toggle = useRef<HTMLButtonElement>(null);
  const bodyId = useId();
  const helpId = useId();
  const active = Object.keys(filter).length;
  const searchFault = textFault(faults, 'search');

  /** Removes conditions, and focuses the toggle, because the pressed button disappears. */
  function remove(conditions: readonly FilterField[] | null, ownKey = ''): void {
    if (conditions === null) {
      setSavedCondition(null);
      clear();
    } else if (ownKey === '') drop(conditions);
    else change('custom', withoutOwn(draft, ownKey));
    toggle.current?.focus();
  }

  /** Shows the list. The pressed button disappears, so the toggle takes the focus. */
  function close(): void {
    setFilterOpen(false);
    toggle.current?.focus();
  }

  function apply(condition: WholeCondition): void {
    replace(condition.filter);
    list.onApply(condition);
  }

  const saved = useSavedConditions({ filter, list, onApply: apply, blockFaulty });
  const hasFault = !open && [...faults.keys()].some((field) => field !== 'search');
  const inForce =
    active === 0 && !hasFault && saved.acts === null ? null : (
      <div className="row">
        {isFiltered({ ...filter, search: undefined }) ? (
          <FilterChips filter={filter} faults={open ? faults : NO_FAULTS} onRemove={remove} />
        ) : null}
        {hasFault ? <span className="fault">{FILTER_MESSAGES.someFaulty}</span> : null}
        {active === 0 ? null : <Clear onPress={() => remove(null)} />}
        {saved.acts}
      </div>
    );
  return (
    <div className={styles.head}>
      {selects}
      {tools}
      <section
        ref={ref}
        className={styles.filter}
        aria-label={FILTER_MESSAGES.title}
        aria-describedby={open ? helpId : undefined}
        {...composition}
      >
        <SearchField value={draft.search ?? ''} fault={searchFault} onChange={(value) => change('search', value)} />
        <Button ref={toggle} aria-expanded={open} aria-controls={bodyId} onClick={() => setFilterOpen(!open)}>
          <IconAdjustmentsHorizontal size={16} aria-hidden />
          {FILTER_MESSAGES.title}
        </Button>
        {saved.chips}
        {open ? null : inForce}
        <GonePart />
        <div id={bodyId} hidden={!open} className={`surface ${styles.body}`}>
          <FilterFields isOpen={open} draft={draft} faults={faults} onChange={change} />
          <PanelFoot helpId={helpId}>
            {open ? <Total isWaiting={isWaiting} isDocked={isNarrow} onShow={close} /> : null}
          </PanelFoot>
        </div>
        {/* Above the fields the chips would push away the field and the list that the user is in. */}
        {open ? inForce : null}
      </section>
    </div>
  );
}

const Clear = ({ onPress }: { readonly onPress: () => void }) => (
  <Button variant="quiet" onClick={onPress}>
    {FILTER_MESSAGES.clear}
  </Button>
);

const PanelFoot = ({ helpId, children }: { readonly helpId: string; readonly children: ReactNode }) => (
  <div className={`spread ${styles.help}`}>
    <span id={helpId} className="note">
      {FILTER_MESSAGES.help}
    </span>
    {children}
  </div>
);

interface TotalProps {
  /** The typed filter is not applied yet. */
  readonly isWaiting: boolean;
  readonly isDocked: boolean;
  readonly onShow: () => void;
}

/** Shows the number of the list below; on phones, where the panel covers it, as the button that leads to it. */
function Total({ isWaiting, isDocked, onShow }: TotalProps) {
  const counted = useShownTotal(({ total }) => total);
  const total = isWaiting ? undefined : counted;
  const { matching, matchingUncounted, show, showUncounted } = FILTER_MESSAGES;
  if (!isDocked) return <strong>{total === undefined ? matchingUncounted : matching(total)}</strong>;
  return (
    <div className={styles.dock}>
      <DockedAction>
        <Button variant="primary" onClick={onShow}>
          {total === undefined ? showUncounted : show(total)}
        </Button>
      </DockedAction>
    </div>
  );
}

interface SearchProps {
  readonly value: string;
  readonly fault: TextFault | undefined;
  readonly onChange: (value: string) => void;
}

/** Searches companies by name and address. Also shown while the filters are folded. */
function SearchField({ value, fault, onChange }: SearchProps) {
  const { search, searchFaults } = FILTER_MESSAGES;
  const faultId = useId();
  return (
    <div className={styles.search}>
      <IconSearch size={16} aria-hidden />
      <input
        type="search"
        className={`${field.control} ${styles.input}`}
        aria-label={search}
        placeholder={search}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={fault === undefined ? undefined : faultId}
        autoComplete="off"
        enterKeyHint="search"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onPaste={pastedCells(' ', onChange)}
      />
      {fault === undefined ? null : (
        <span id={faultId} className={field.error}>
          {searchFaults[fault](MAX_SEARCH_WORDS)}
        </span>
      )}
    </div>
  );
}

const NO_FAULTS: Faults = new Map();
