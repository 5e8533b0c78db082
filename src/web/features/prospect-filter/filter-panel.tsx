import { IconChevronDown } from '@tabler/icons-react';
import { type Ref, useId } from 'react';
import type { ProspectFilter } from '#contract/prospect.ts';
import { MAX_FILTER_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { SelectField } from '#web/components/select-field.tsx';
import { TextField } from '#web/components/text-field.tsx';
import { FILTER_WORDS } from '#web/lib/filter-words.ts';
import { PRESENCE_FIELDS, RANGE_FIELDS, TERM_FIELDS } from '#web/lib/list-params.ts';
import { isNarrowScreen } from '#web/lib/narrow-screen.ts';
import { useSession } from '#web/lib/session-store.ts';
import { WORDS } from '#web/lib/words.ts';
import styles from './filter-panel.module.css';
import { RangeField } from './range-field.tsx';
import { useFilterDraft } from './use-filter-draft.ts';

const { presence, fields } = FILTER_WORDS;
const PRESENCES = [
  { value: '', label: presence.any },
  { value: 'yes', label: presence.yes },
  { value: 'no', label: presence.no },
];

interface Props {
  readonly filter: ProspectFilter;
  readonly onChange: (filter: ProspectFilter) => void;
  readonly ref?: Ref<HTMLElement>;
}

export function FilterPanel({ filter, onChange, ref }: Props) {
  const { draft, faults, change, clear, composition } = useFilterDraft(filter, onChange);
  const stored = useSession((state) => state.is_filter_open);
  const open = stored ?? !isNarrowScreen();
  const bodyId = useId();
  const helpId = useId();
  const active = Object.keys(filter).length;

  return (
    <section
      ref={ref}
      className={styles.panel}
      aria-label={FILTER_WORDS.title}
      aria-describedby={open ? helpId : undefined}
    >
      <div className={styles.head}>
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={open}
          aria-controls={bodyId}
          onClick={() => useSession.setState({ is_filter_open: !open })}
        >
          <IconChevronDown size={16} aria-hidden className={styles.chevron} />
          {FILTER_WORDS.title}
        </button>
        {active === 0 ? null : (
          <>
            <span className={styles.active}>{FILTER_WORDS.active(active)}</span>
            <Button variant="quiet" onClick={clear}>
              {WORDS.actions.clear}
            </Button>
          </>
        )}
        {open || faults.size === 0 ? null : <span className={styles.fault}>{FILTER_WORDS.someFaulty}</span>}
        {open ? (
          <span id={helpId} className={styles.help}>
            {FILTER_WORDS.help}
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
            maxLength={MAX_FILTER_LENGTH}
            value={draft[field] ?? ''}
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
