import type { ComponentProps } from 'react';
import { Field, type FieldProps } from './field.tsx';

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** The group below whose name it is offered. */
  readonly group?: string;
}

type Props = FieldProps &
  Omit<ComponentProps<'select'>, 'onChange'> & {
    readonly choices: readonly Choice[];
    readonly onChange: (value: string) => void;
    /** Keeps its box around a single choice too: it belongs to the box beside it. */
    readonly isBoxed?: boolean;
  };

/**
 * A native select, which is fast with many choices and works on phones and with screen readers. Where there is one
 * choice it is drawn as text: there is nothing to choose.
 */
export function SelectField({ choices, onChange, isBoxed = false, ...props }: Props) {
  const { label, hidesLabel, help, mark, error, faultId, className, ...select } = props;
  return (
    <Field {...{ label, hidesLabel, help, mark, error, faultId, className }}>
      {(control) => (
        <select
          {...select}
          {...control}
          data-single={(choices.length === 1 && !isBoxed) || undefined}
          onChange={(event) => onChange(event.target.value)}
        >
          {[...Map.groupBy(choices, ({ group }) => group)].map(([group, grouped]) =>
            group === undefined ? (
              grouped.map(optionOf)
            ) : (
              <optgroup key={group} label={group}>
                {grouped.map(optionOf)}
              </optgroup>
            ),
          )}
        </select>
      )}
    </Field>
  );
}

const optionOf = ({ value, label }: Choice) => (
  <option key={value} value={value}>
    {label}
  </option>
);
