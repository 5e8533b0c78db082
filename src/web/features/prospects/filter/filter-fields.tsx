import { lazy, useId } from 'react';
import { MAX_FILTER_TERMS } from '#domain/limits.ts';
import fieldStyles from '#web/components/field/field.module.css';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { PRESENCE_FIELDS, RANGE_FIELDS, type RangeField as RangeName, TERM_FIELDS } from '#web/lib/address/params.ts';
import { inBrackets } from '#web/lib/phrases.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { pastedCells } from '#web/lib/screen/pasted-cells.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { type Faults, type FilterDraft, type FilterField, rangeFault, textFault } from './filter-draft.ts';
import styles from './filter-panel.module.css';
import rangeField from './range-field.module.css';
import type { OfferedField } from './term-choice.tsx';
import { FILTER_MESSAGES } from './words.ts';

const TermChoice = lazy(() => loadPart(() => import('./term-choice.tsx')));

const OwnFilter = lazy(() => loadPart(() => import('../own/own-filter.tsx')));

const TagFilter = lazy(() => loadPart(() => import('./tag-filter.tsx')));

const isOffered = (field: (typeof TERM_FIELDS)[number]): field is OfferedField => field !== 'company_email';

const { presence, fields, textFaults } = FILTER_MESSAGES;

function faultText(faults: Faults, field: FilterField): string | undefined {
  const fault = textFault(faults, field);
  return fault && textFaults[fault](MAX_FILTER_TERMS);
}

interface Props {
  /** Whether the fields are in sight. */
  readonly isOpen: boolean;
  readonly draft: FilterDraft;
  readonly faults: Faults;
  readonly onChange: (field: FilterField, value: string) => void;
}

const PRESENCES = [
  { value: '', label: presence.any },
  { value: 'yes', label: presence.yes },
  { value: 'no', label: presence.no },
];

/** The presences that stand beside the texts. That of the 主担当 stands beside the tags. */
const OF_COMPANY = PRESENCE_FIELDS.filter((field) => field !== 'has_primary_email');

export function FilterFields({ isOpen, draft, faults, onChange }: Props) {
  // Nobody without people sees a filter by them.
  const hasPrimaries = useSession(({ current_user }) => current_user?.has_primary_email === 1);
  const presenceOf = (field: (typeof PRESENCE_FIELDS)[number]) => (
    <SelectField
      key={field}
      className={field === 'has_primary_email' ? styles.primary : styles.presence}
      label={fields[field]}
      choices={PRESENCES}
      value={draft[field] ?? ''}
      onChange={(value) => onChange(field, value)}
    />
  );
  return (
    <>
      {TERM_FIELDS.map((field) => (
        <div key={field} className={styles.terms} data-offered={isOffered(field) || undefined}>
          <TextField
            label={fields[field]}
            autoComplete="off"
            value={draft[field] ?? ''}
            error={faultText(faults, field)}
            onChange={(value) => onChange(field, value)}
            onPaste={pastedCells(',', (value) => onChange(field, value))}
          />
          {isOpen && isOffered(field) ? (
            <PartBoundary>
              <TermChoice field={field} value={draft[field] ?? ''} onChange={(value) => onChange(field, value)} />
            </PartBoundary>
          ) : null}
        </div>
      ))}
      {OF_COMPANY.map(presenceOf)}
      {RANGE_FIELDS.map((field) => (
        <div key={field} className={styles.range}>
          <RangeField field={field} draft={draft} faults={faults} onChange={onChange} />
        </div>
      ))}
      {hasPrimaries || draft.has_primary_email ? presenceOf('has_primary_email') : null}
      {isOpen ? (
        <PartBoundary>
          <TagFilter draft={draft} onChange={onChange} />
          <OwnFilter draft={draft} isTooLong={textFault(faults, 'custom') === 'too_long'} onChange={onChange} />
        </PartBoundary>
      ) : null}
    </>
  );
}

interface RangeFieldProps {
  readonly field: RangeName;
  readonly draft: FilterDraft;
  readonly faults: Faults;
  readonly onChange: (field: FilterField, value: string) => void;
}

/** Shows the fields of a range with two exclusive bounds. */
function RangeField({ field, draft, faults, onChange }: RangeFieldProps) {
  const noteId = useId();
  const label = FILTER_MESSAGES.fields[field];
  const from = `${field}_from` as const;
  const to = `${field}_to` as const;
  const fault = rangeFault(faults, from) ?? rangeFault(faults, to);

  const bound = (name: typeof from | typeof to, boundLabel: string) => (
    <input
      type="text"
      className={fieldStyles.control}
      aria-label={boundLabel}
      aria-invalid={faults.has(name) || undefined}
      aria-describedby={faults.has(name) ? noteId : undefined}
      autoComplete="off"
      maxLength={64}
      value={draft[name] ?? ''}
      onChange={(event) => onChange(name, event.target.value)}
    />
  );

  return (
    <fieldset>
      <legend>
        {label}
        <span className={rangeField.unit}>{inBrackets(FILTER_MESSAGES.units[field])}</span>
      </legend>
      <div className={rangeField.bounds}>
        {bound(from, FILTER_MESSAGES.from(label))}
        <span className={rangeField.between}>{FILTER_MESSAGES.above}</span>
        {bound(to, FILTER_MESSAGES.to(label))}
        <span className={rangeField.between}>{FILTER_MESSAGES.below}</span>
      </div>
      {fault === undefined ? null : (
        <span id={noteId} className={fieldStyles.error}>
          {FILTER_MESSAGES.faults[fault](FILTER_MESSAGES.examples[field])}
        </span>
      )}
    </fieldset>
  );
}
