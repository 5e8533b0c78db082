import IconArrowBackUp from '@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs';
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import IconChevronUp from '@tabler/icons-react/dist/esm/icons/IconChevronUp.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { useId } from 'react';
import { MAX_FIELD_OPTIONS, MAX_NAME_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import field from '#web/components/field/field.module.css';
import styles from './own-fields.module.css';
import { OWN_FIELD_MESSAGES as messages } from './words.ts';

export interface OptionForm {
  /** null: a new option. */
  readonly id: number | null;
  readonly label: string;
  readonly archived: boolean;
}

interface Props {
  readonly options: readonly OptionForm[];
  readonly error: string | undefined;
  readonly onChange: (options: readonly OptionForm[]) => void;
}

/** Edits the options of a 選択, in their order. A stored one is archived, a new one just goes. */
export function OptionsField({ options, error, onChange }: Props) {
  const id = useId();
  const put = (place: number, option: OptionForm) => onChange(options.with(place, option));

  function move(from: number, to: number): void {
    const next = [...options];
    next.splice(to, 0, ...next.splice(from, 1));
    onChange(next);
  }

  return (
    <fieldset aria-describedby={error === undefined ? undefined : id}>
      <legend>{messages.fields.options}</legend>
      <ul className={styles.options}>
        {options.map((option, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: new options have no id, and rows are edited in their place
          <li key={place} data-archived={option.archived || undefined}>
            <input
              type="text"
              className={field.control}
              aria-label={messages.optionOf(place + 1)}
              aria-invalid={(error !== undefined && option.label.trim() === '') || undefined}
              maxLength={MAX_NAME_LENGTH}
              readOnly={option.archived}
              value={option.label}
              onChange={({ target }) => put(place, { ...option, label: target.value })}
            />
            <OptionActs
              option={option}
              isFirst={place === 0}
              isLast={place === options.length - 1}
              onMove={(step) => move(place, place + step)}
              onRemove={() => {
                if (option.id === null) onChange(options.toSpliced(place, 1));
                else put(place, { ...option, archived: !option.archived });
              }}
            />
          </li>
        ))}
      </ul>
      {options.length < MAX_FIELD_OPTIONS ? (
        <Button variant="quiet" onClick={() => onChange([...options, { id: null, label: '', archived: false }])}>
          <IconPlus size={16} aria-hidden />
          {messages.addOption}
        </Button>
      ) : null}
      {error === undefined ? null : (
        <span id={id} className={field.error}>
          {error}
        </span>
      )}
      <span className={field.help}>{messages.optionsHelp}</span>
    </fieldset>
  );
}

interface ActsProps {
  readonly option: OptionForm;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (step: 1 | -1) => void;
  readonly onRemove: () => void;
}

function OptionActs({ option: { id, label, archived }, isFirst, isLast, onMove, onRemove }: ActsProps) {
  const acts = messages.optionActs;
  const remove = id === null ? 'remove' : archived ? 'restore' : 'archive';
  return (
    <>
      <Button variant="quiet" aria-label={acts.up(label)} disabled={isFirst} onClick={() => onMove(-1)}>
        <IconChevronUp size={16} aria-hidden />
      </Button>
      <Button variant="quiet" aria-label={acts.down(label)} disabled={isLast} onClick={() => onMove(1)}>
        <IconChevronDown size={16} aria-hidden />
      </Button>
      <Button variant="quiet" aria-label={acts[remove](label)} onClick={onRemove}>
        {archived ? <IconArrowBackUp size={16} aria-hidden /> : <IconX size={16} aria-hidden />}
      </Button>
    </>
  );
}
