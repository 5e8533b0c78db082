import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef } from 'react';
import { MAX_FILTER_TERMS } from '#domain/limits.ts';
import { hasTooManyTerms } from '#domain/text/text-filter.ts';
import { Button } from '#web/components/button.tsx';
import { Menu } from '#web/components/dialog/menu.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { Chip } from '#web/components/inline/chip.tsx';
import { inUse, type OwnField, ownFieldList } from '#web/lib/data/own/own-fields.ts';
import { pastedCells } from '#web/lib/screen/pasted-cells.ts';
import type { FilterDraft } from '../filter/filter-draft.ts';
import { FILTER_MESSAGES } from '../filter/words.ts';
import { readTyped, type TypedOwn, writeTyped } from './own-draft.ts';
import styles from './own-filter.module.css';
import { fieldName, isFullOfOwn, labelIn } from './own-filter-parts.ts';
import { OwnRange } from './own-range.tsx';
import { OWN_LIST_MESSAGES } from './words.ts';

const { fields: messages } = OWN_LIST_MESSAGES;

interface Props {
  readonly draft: FilterDraft;
  /** The texts of all conditions are too long together. */
  readonly isTooLong: boolean;
  readonly onChange: (field: 'custom', typed: string) => void;
}

/** Sets the conditions on own fields, a row a field. An account without fields sees nothing of it. */
export default function OwnFilter({ draft, isTooLong, onChange }: Props) {
  const { data } = useQuery({ ...ownFieldList, meta: { quiet: true } });
  const root = useRef<HTMLFieldSetElement>(null);
  const focusLater = useLaterFocus(root);
  const typed = readTyped(draft.custom);
  const rows = Object.entries(typed);
  const offered = inUse(data).filter(({ key }) => !Object.hasOwn(typed, key));
  if (rows.length === 0 && offered.length === 0) return null;

  const change = (next: TypedOwn) => onChange('custom', writeTyped(next));
  const longest = isTooLong ? longestOf(typed) : undefined;
  return (
    <fieldset ref={root} className={styles.own}>
      <legend>{messages.title}</legend>
      <ul className={styles.rows}>
        {rows.map(([key, wanted]) => (
          <Row
            key={key}
            field={data?.find((one) => one.key === key)}
            label={fieldName(data, key)}
            wanted={wanted}
            fault={textFault(wanted, key === longest)}
            onChange={(next) => change({ ...typed, [key]: next })}
            onRemove={() => {
              change(Object.fromEntries(rows.filter(([other]) => other !== key)));
              focusLater('[aria-expanded]');
            }}
          />
        ))}
      </ul>
      {isFullOfOwn(draft) ? (
        <p className="note">{messages.most}</p>
      ) : (
        <AddRow
          offered={offered}
          onAdd={({ key, type }) => {
            change({ ...typed, [key]: isRange(type) ? {} : '' });
            focusLater('li:last-child :is(input, select, [aria-pressed])');
          }}
        />
      )}
    </fieldset>
  );
}

/** Returns a function that focuses a part after the next rendering. */
function useLaterFocus(root: RefObject<HTMLElement | null>): (selector: string) => void {
  const wanted = useRef<string>(null);
  useEffect(() => {
    if (wanted.current !== null) root.current?.querySelector<HTMLElement>(wanted.current)?.focus();
    wanted.current = null;
  });
  return (selector) => {
    wanted.current = selector;
  };
}

const isRange = (type: OwnField['type']): type is 'number' | 'date' => type === 'number' || type === 'date';

/** Returns the key of the longest text. */
function longestOf(typed: TypedOwn): string | undefined {
  const lengthOf = (wanted: TypedOwn[string]) => (typeof wanted === 'string' ? wanted.length : 0);
  return Object.entries(typed).toSorted(([, one], [, other]) => lengthOf(other) - lengthOf(one))[0]?.[0];
}

function textFault(wanted: TypedOwn[string], isTooLong: boolean): string | undefined {
  const { too_long, too_many_terms } = FILTER_MESSAGES.textFaults;
  if (typeof wanted === 'string' && hasTooManyTerms(wanted)) return too_many_terms(MAX_FILTER_TERMS);
  return isTooLong ? too_long() : undefined;
}

interface AddProps {
  readonly offered: readonly OwnField[];
  readonly onAdd: (field: OwnField) => void;
}

function AddRow({ offered, onAdd }: AddProps) {
  if (offered.length === 0) return null;
  const label = (
    <>
      <IconPlus size={16} aria-hidden />
      {messages.add}
    </>
  );
  return (
    <Menu variant="quiet" className={styles.add} panelClass={styles.offered} label={label}>
      {offered.map((field) => (
        <button key={field.key} type="button" title={field.label} onClick={() => onAdd(field)}>
          <bdi className="cut">{field.label}</bdi>
        </button>
      ))}
    </Menu>
  );
}

interface RowProps {
  /** undefined: not loaded, or gone. */
  readonly field: OwnField | undefined;
  readonly label: string;
  readonly wanted: TypedOwn[string];
  /** What is wrong with the text. */
  readonly fault: string | undefined;
  readonly onChange: (wanted: TypedOwn[string]) => void;
  readonly onRemove: () => void;
}

function Row({ field, label, wanted, fault, onChange, onRemove }: RowProps) {
  return (
    <li className={styles.row} data-wide={(field !== undefined && hasLongOptions(field)) || undefined}>
      <span className={styles.label} title={label}>
        <bdi>{label}</bdi>
      </span>
      {field === undefined ? (
        <span />
      ) : isRange(field.type) ? (
        <OwnRange
          type={field.type}
          label={label}
          wanted={typeof wanted === 'string' ? {} : wanted}
          onChange={onChange}
        />
      ) : (
        <Answer
          field={field}
          label={label}
          wanted={typeof wanted === 'string' ? wanted : ''}
          fault={fault}
          onChange={onChange}
        />
      )}
      <Button variant="quiet" aria-label={messages.remove(label)} onClick={onRemove}>
        <IconX size={14} aria-hidden />
      </Button>
    </li>
  );
}

/** The characters of all options, each with its edges, that fit into two lines beside other rows. */
const ROOM_OF_OPTIONS = 36;
const EDGES_OF_OPTION = 3;

/** Whether the options of a choice need the panel's whole width. */
const hasLongOptions = ({ options }: OwnField): boolean =>
  inUse(options).reduce((sum, { label }) => sum + label.length + EDGES_OF_OPTION, 0) > ROOM_OF_OPTIONS;

const ANSWERS = {
  flag: choicesOf(messages.answers),
  url: choicesOf(FILTER_MESSAGES.presence),
};

function choicesOf({ any, yes, no }: Readonly<Record<'any' | 'yes' | 'no', string>>) {
  return [
    { value: '', label: any },
    { value: 'yes', label: yes },
    { value: 'no', label: no },
  ];
}

interface AnswerProps {
  readonly field: OwnField;
  readonly label: string;
  readonly wanted: string;
  readonly fault: string | undefined;
  readonly onChange: (wanted: string) => void;
}

/** Shows the words, the options or the answer that a field must have. */
function Answer({ field, label, wanted, fault, onChange }: AnswerProps) {
  const { type } = field;
  if (type === 'choice') return <Options field={field} label={label} wanted={wanted} onChange={onChange} />;
  if (type === 'flag' || type === 'url') {
    return (
      <SelectField label={label} hidesLabel choices={ANSWERS[type]} value={wanted} error={fault} onChange={onChange} />
    );
  }
  return (
    <TextField
      label={label}
      hidesLabel
      autoComplete="off"
      placeholder={messages.words}
      value={wanted}
      error={fault}
      onChange={onChange}
      onPaste={pastedCells(',', onChange)}
    />
  );
}

interface OptionsProps {
  readonly field: OwnField;
  readonly label: string;
  /** Ids. */
  readonly wanted: string;
  readonly onChange: (wanted: string) => void;
}

/** Shows the options in use, and chosen ones that are not used any more. Pressed ones are looked for. */
function Options({ field: { options }, label, wanted, onChange }: OptionsProps) {
  const chosen = wanted === '' ? [] : wanted.split(',');
  const used = inUse(options).map(({ id }) => String(id));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset within the fieldset would have its margins
    <div role="group" aria-label={label} className={`row ${styles.options}`}>
      {[...used, ...chosen.filter((id) => !used.includes(id))].map((id) => {
        const isChosen = chosen.includes(id);
        const option = options.find((one) => String(one.id) === id);
        const others = chosen.filter((other) => other !== id);
        return (
          <Chip key={id} isChosen={isChosen} onPress={() => onChange((isChosen ? others : [...chosen, id]).join())}>
            {labelIn(option, OWN_LIST_MESSAGES.goneOption, OWN_LIST_MESSAGES.archivedOption)}
          </Chip>
        );
      })}
    </div>
  );
}
