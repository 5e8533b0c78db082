import type { ReactNode } from 'react';
import { SelectField } from '#web/components/field/select-field.tsx';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import {
  type Choice,
  type columnFaults,
  FIELDS,
  type ImportField,
  isMoney,
  type MoneyUnit,
  UNITS,
} from './column-draft.ts';
import styles from './column-step.module.css';
import type { Look } from './import-query.ts';
import screen from './import-screen.module.css';
import { COLUMN_MESSAGES, IMPORT_MESSAGES } from './words.ts';

const NONE = { value: '', label: COLUMN_MESSAGES.none };
const UNIT_CHOICES = UNITS.map((unit) => ({
  value: unit,
  label: COLUMN_MESSAGES.units[unit as keyof typeof COLUMN_MESSAGES.units],
}));

interface Props {
  readonly columns: Look['columns'];
  /** One choice for each column. */
  readonly choices: readonly Choice[];
  readonly faults: ReturnType<typeof columnFaults>;
  /** Marks the missing name, because the user pressed 次へ without it. */
  readonly isNameAsked: boolean;
  /** The control that chooses the sender group for the remarks. */
  readonly remarksGroup: ReactNode;
  readonly onChange: (index: number, choice: Choice) => void;
}

/** Lists the columns of the file with their samples and fields. On phones each one is a card. */
export function ColumnTable({ columns, choices, faults, isNameAsked, remarksGroup, onChange }: Props) {
  const words = COLUMN_MESSAGES;
  const { fields } = IMPORT_MESSAGES;
  const fieldChoices = [NONE, ...FIELDS.map((field) => ({ value: field, label: fields[field] }))];
  // Focus the first column that could be the name.
  const askedAt = isNameAsked && faults.isNameMissing ? choices.findIndex(({ field }) => field === null) : -1;
  return (
    <table className={`${styles.table} surface ${screen.table}`} aria-label={words.table}>
      <thead>
        <tr>
          <th scope="col">{words.column}</th>
          <th scope="col">{words.samples}</th>
          <th scope="col">{words.field}</th>
          <th scope="col">{words.unit}</th>
        </tr>
      </thead>
      <tbody>
        {columns.map(({ index, heading, samples, custom_field_id: ownId, new_field: newField }) => {
          const hasOwn = ownId != null || newField != null;
          const name = heading === '' ? words.unnamed(index + 1) : heading;
          const choice = choices[index] ?? { field: null, unit: '' };
          return (
            <tr key={index} data-unused={choice.field === null || undefined}>
              <th scope="row">{name}</th>
              <td className={`cut ${styles.samples}`} data-label={words.samples}>
                {[...new Set(samples)].join(LIST_SEPARATOR)}
              </td>
              <td>
                <SelectField
                  className={styles.select}
                  label={words.fieldOf(name)}
                  choices={hasOwn ? [...fieldChoices, { value: 'own', label: fields.own }] : fieldChoices}
                  value={choice.field ?? ''}
                  error={faults.twice.has(index) ? words.twice : index === askedAt ? words.noCompanyName : undefined}
                  onChange={(value) =>
                    onChange(index, { ...choice, field: value === '' ? null : (value as ImportField) })
                  }
                />
              </td>
              <td>
                {isMoney(choice.field) ? (
                  <SelectField
                    className={styles.select}
                    label={words.unitOf(name)}
                    choices={UNIT_CHOICES}
                    value={choice.unit}
                    onChange={(unit) => onChange(index, { ...choice, unit: unit as MoneyUnit })}
                  />
                ) : null}
                {choice.field === 'remarks' ? remarksGroup : null}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
