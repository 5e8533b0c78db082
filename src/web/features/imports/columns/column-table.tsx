import { Fragment, type ReactNode } from 'react';
import { OWN_IMPORT_FIELDS } from '#contract/imports/imports-names.ts';
import { SelectField } from '#web/components/field/select-field.tsx';
import type { OwnField } from '#web/lib/data/own/own-fields.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import type { Look } from '../import-query.ts';
import screen from '../import-screen.module.css';
import { IMPORT_MESSAGES } from '../words.ts';
import {
  type Choice,
  choiceOf,
  type columnFaults,
  FIELDS,
  groupedPlaces,
  isMoney,
  type MoneyUnit,
  NEW,
  newFieldFaults,
  ownValue,
  selectedValue,
  UNITS,
} from './column-draft.ts';
import styles from './column-step.module.css';
import { NewFieldRow } from './new-field-row.tsx';
import { COLUMN_MESSAGES } from './words.ts';

const NONE = { value: '', label: COLUMN_MESSAGES.none };
const UNIT_CHOICES = UNITS.map((unit) => ({
  value: unit,
  label: COLUMN_MESSAGES.units[unit as keyof typeof COLUMN_MESSAGES.units],
}));

interface Props {
  readonly columns: Look['columns'];
  /** The own fields that the account has. */
  readonly own: readonly Pick<OwnField, 'id' | 'label'>[];
  /** One choice for each column. */
  readonly choices: readonly Choice[];
  readonly faults: ReturnType<typeof columnFaults>;
  /** Marks the missing name, because the user pressed 次へ without it. */
  readonly isNameAsked: boolean;
  /** The control that chooses the sender group for the remarks. */
  readonly remarksGroup: ReactNode;
  readonly onChange: (index: number, choice: Choice) => void;
}

const { groups, table, column, samples: samplesLabel, field: fieldLabel, unit: unitLabel } = COLUMN_MESSAGES;

const fieldChoices = (own: Props['own']) => {
  const { fields } = IMPORT_MESSAGES;
  return [
    NONE,
    ...FIELDS.map((field) => ({ value: field, label: fields[field], group: groupOf(field) })),
    ...own.map(({ id, label }) => ({ value: ownValue(id), label, group: groups.own })),
    { value: NEW, label: COLUMN_MESSAGES.newField.choice, group: groups.own },
  ];
};

/** Adds an own field that is not listed yet, by the heading of its column: else it would look like 取り込まない. */
const withChosen = (offered: ReturnType<typeof fieldChoices>, value: string, label: string) =>
  offered.some((one) => one.value === value) ? offered : [...offered, { value, label, group: groups.own }];

const OF_OWN: readonly string[] = OWN_IMPORT_FIELDS;
const groupOf = (field: string): string =>
  field.startsWith('person_') ? groups.person : OF_OWN.includes(field) ? groups.own : groups.company;

/**
 * Lists the columns of the file with their samples and fields, in groups where it has people or own fields. On phones
 * each one is a card.
 */
export function ColumnTable(props: Props) {
  const { columns, choices, faults, isNameAsked } = props;
  // Focus the first column that could be the name.
  const askedAt = isNameAsked && faults.isNameMissing ? choices.findIndex(({ field }) => field === null) : -1;
  const offered = fieldChoices(props.own);
  return (
    <table className={`${styles.table} surface ${screen.table}`} aria-label={table}>
      <thead>
        <tr>
          <th scope="col">{column}</th>
          <th scope="col">{samplesLabel}</th>
          <th scope="col">{fieldLabel}</th>
          <th scope="col">{unitLabel}</th>
        </tr>
      </thead>
      {groupedPlaces(columns).map(([group, places]) => (
        <tbody key={group}>
          {group === null ? null : (
            <tr className={styles.group}>
              <th scope="rowgroup" colSpan={4}>
                {groups[group]}
              </th>
            </tr>
          )}
          {places.map((place) => (
            <ColumnRow key={place} {...props} place={place} askedAt={askedAt} offered={offered} />
          ))}
        </tbody>
      ))}
    </table>
  );
}

interface RowProps extends Props {
  readonly place: number;
  /** The place of the column that asks for the name of the company; -1: none. */
  readonly askedAt: number;
  readonly offered: ReturnType<typeof fieldChoices>;
}

function ColumnRow({ columns, choices, place, faults, askedAt, offered, remarksGroup, onChange }: RowProps) {
  const words = COLUMN_MESSAGES;
  const shown = columns[place];
  const choice = choices[place] ?? { field: null, unit: '' };
  if (shown === undefined) return null;
  const { index, heading, samples } = shown;
  const name = heading === '' ? words.unnamed(index + 1) : heading;
  const { new_field: made } = choice;
  const value = selectedValue(choice);
  return (
    <Fragment>
      <tr data-unused={choice.field === null || undefined}>
        <th scope="row">{name}</th>
        <td className={`cut ${styles.samples}`} data-label={words.samples}>
          {[...new Set(samples)].join(LIST_SEPARATOR)}
        </td>
        <td>
          <SelectField
            className={styles.select}
            label={words.fieldOf(name)}
            choices={withChosen(offered, value, name)}
            value={value}
            error={faults.twice.has(place) ? words.twice : place === askedAt ? words.noCompanyName : undefined}
            onChange={(next) => onChange(index, choiceOf(next, choice, shown))}
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
          {choice.field === 'tags' ? <small>{words.tagsHelp}</small> : null}
        </td>
      </tr>
      {value === NEW && made !== undefined ? (
        <NewFieldRow
          name={name}
          field={made}
          faults={newFieldFaults(choice)}
          onChange={(new_field) => onChange(index, { ...choice, new_field })}
        />
      ) : null}
    </Fragment>
  );
}
