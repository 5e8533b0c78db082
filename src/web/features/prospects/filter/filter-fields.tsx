import { MAX_FILTER_TERMS } from '#domain/limits.ts';
import { SelectField } from '#web/components/select-field.tsx';
import { TextField } from '#web/components/text-field.tsx';
import { PRESENCE_FIELDS, RANGE_FIELDS, TERM_FIELDS } from '#web/lib/address/params.ts';
import { pastedCells } from '#web/lib/pasted-cells.ts';
import { type Faults, type FilterDraft, type FilterField, textFault } from './filter-draft.ts';
import styles from './filter-panel.module.css';
import { RangeField } from './range-field.tsx';
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
  readonly draft: FilterDraft;
  readonly faults: Faults;
  readonly onChange: (field: FilterField, value: string) => void;
}

export function FilterFields({ draft, faults, onChange }: Props) {
  return (
    <>
      {TERM_FIELDS.map((field) => (
        <TextField
          key={field}
          className={styles.terms}
          label={fields[field]}
          autoComplete="off"
          value={draft[field] ?? ''}
          error={faultText(faults, field)}
          onChange={(value) => onChange(field, value)}
          onPaste={pastedCells(',', (value) => onChange(field, value))}
        />
      ))}
      {PRESENCE_FIELDS.map((field) => (
        <SelectField
          key={field}
          className={styles.presence}
          label={fields[field]}
          choices={PRESENCES}
          value={draft[field] ?? ''}
          onChange={(value) => onChange(field, value)}
        />
      ))}
      {RANGE_FIELDS.map((field) => (
        <div key={field} className={styles.range}>
          <RangeField field={field} draft={draft} faults={faults} onChange={onChange} />
        </div>
      ))}
    </>
  );
}
