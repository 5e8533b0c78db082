import { IconChevronDown } from '@tabler/icons-react';
import { type Ref, useId, useRef } from 'react';
import type { ProspectFilter } from '#contract/prospect.ts';
import { MAX_FILTER_TERMS } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { SelectField } from '#web/components/select-field.tsx';
import { TextField } from '#web/components/text-field.tsx';
import { PRESENCE_FIELDS, RANGE_FIELDS, TERM_FIELDS } from '#web/lib/list-params.ts';
import { FilterChips } from './filter-chips.tsx';
import { type Faults, type FilterField, textFault } from './filter-draft.ts';
import styles from './filter-panel.module.css';
import { RangeField } from './range-field.tsx';
import { useFilterDraft } from './use-filter-draft.ts';
import { useFilterOpen } from './use-filter-open.ts';
import { FILTER_MESSAGES } from './words.ts';

const { presence, fields, textFaults } = FILTER_MESSAGES;
const PRESENCES = [
  { value: '', label: presence.any },
  { value: 'yes', label: presence.yes },
  { value: 'no', label: presence.no },
];

function faultText(faults: Faults, field: FilterField): string | undefined {
  const fault = textFault(faults, field);
  return fault && textFaults[fault](MAX_FILTER_TERMS);
}

interface Props {
  readonly filter: ProspectFilter;
  readonly onChange: (filter: ProspectFilter) => void;
  readonly ref?: Ref<HTMLElement>;
}

export function FilterPanel({ filter, onChange, ref }: Props) {
  const { draft, faults, change, drop, clear, composition } = useFilterDraft(filter, onChange);
  const [open, setOpen] = useFilterOpen();
  const toggle = useRef<HTMLButtonElement>(null);
  const bodyId = useId();
  const helpId = useId();
  const active = Object.keys(filter).length;

  /** The button that was pressed goes with its condition. */
  function remove(conditions: readonly FilterField[] | null): void {
    if (conditions === null) clear();
    else drop(conditions);
    toggle.current?.focus();
  }

  return (
    <section
      ref={ref}
      className={styles.panel}
      aria-label={FILTER_MESSAGES.title}
      aria-describedby={open ? helpId : undefined}
    >
      <div className={styles.head}>
        <button
          ref={toggle}
          type="button"
          className={styles.toggle}
          aria-expanded={open}
          aria-controls={bodyId}
          onClick={() => setOpen(!open)}
        >
          <IconChevronDown size={16} aria-hidden className={styles.chevron} />
          {FILTER_MESSAGES.title}
        </button>
        {active === 0 ? null : (
          <>
            {open ? (
              <span className={styles.active}>{FILTER_MESSAGES.active(active)}</span>
            ) : (
              <FilterChips filter={filter} onRemove={remove} />
            )}
            <Button variant="quiet" onClick={() => remove(null)}>
              {FILTER_MESSAGES.clear}
            </Button>
          </>
        )}
        {open || faults.size === 0 ? null : <span className={styles.fault}>{FILTER_MESSAGES.someFaulty}</span>}
        {open ? (
          <span id={helpId} className={styles.help}>
            {FILTER_MESSAGES.help}
          </span>
        ) : null}
      </div>
      <div id={bodyId} hidden={!open} className={styles.body} {...composition}>
        {TERM_FIELDS.map((field) => (
          <TextField
            key={field}
            className={styles.terms}
            label={fields[field]}
            autoComplete="off"
            value={draft[field] ?? ''}
            error={faultText(faults, field)}
            onChange={(value) => change(field, value)}
          />
        ))}
        {PRESENCE_FIELDS.map((field) => (
          <SelectField
            key={field}
            className={styles.presence}
            label={fields[field]}
            choices={PRESENCES}
            value={draft[field] ?? ''}
            onChange={(value) => change(field, value)}
          />
        ))}
        {RANGE_FIELDS.map((field) => (
          <div key={field} className={styles.range}>
            <RangeField field={field} draft={draft} faults={faults} onChange={change} />
          </div>
        ))}
      </div>
    </section>
  );
}
