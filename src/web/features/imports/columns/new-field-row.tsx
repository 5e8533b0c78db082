import { OWN_FIELD_TYPE_NAMES, OWN_FIELD_TYPES } from '#contract/companies/own-fields-names.ts';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { MAX_LABEL, type NewField, type NewFieldFaults } from './column-draft.ts';
import styles from './column-step.module.css';
import { COLUMN_MESSAGES } from './words.ts';

const TYPES = OWN_FIELD_TYPES.map((value) => ({ value, label: OWN_FIELD_TYPE_NAMES[value] }));
const MAX_KEY = 30;

interface Props {
  /** The column of the file. */
  readonly name: string;
  readonly field: NewField;
  readonly faults: NewFieldFaults;
  readonly onChange: (field: NewField) => void;
}

/** Shows below a column what becomes of it: a new own field with its name, its type and its name in templates. */
export function NewFieldRow({ name, field, faults, onChange }: Props) {
  const words = COLUMN_MESSAGES.newField;
  return (
    <tr className={styles.more}>
      <td colSpan={4}>
        <fieldset className={`row ${styles.fields}`} aria-label={words.of(name)}>
          <TextField
            label={words.label}
            autoComplete="off"
            maxLength={MAX_LABEL}
            value={field.label}
            error={faults.label}
            onChange={(label) => onChange({ ...field, label })}
          />
          <SelectField
            label={words.type}
            choices={TYPES}
            value={field.type}
            onChange={(type) =>
              onChange({ ...field, type: TYPES.find(({ value }) => value === type)?.value ?? 'text' })
            }
          />
          <TextField
            label={words.key}
            autoComplete="off"
            spellCheck={false}
            maxLength={MAX_KEY}
            placeholder={words.keyAuto}
            value={field.key ?? ''}
            error={faults.key}
            onChange={(key) => onChange({ label: field.label, type: field.type, ...(key !== '' && { key }) })}
          />
        </fieldset>
      </td>
    </tr>
  );
}
