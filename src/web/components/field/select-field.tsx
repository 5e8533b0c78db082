import type { ComponentProps } from 'react';
import { Field, type FieldProps } from './field.tsx';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

type Props = FieldProps &
  Omit<ComponentProps<'select'>, 'onChange'> & {
    readonly choices: readonly Choice[];
    readonly onChange: (value: string) => void;
  };

/**
 * A native select, which is fast with many choices and works on phones and with screen readers. Where there is one
 * choice it is drawn as text: there is nothing to choose.
 */
export function SelectField({ label, help, mark, error, faultId, className, choices, onChange, ...select }: Props) {
  return (
    <Field label={label} help={help} mark={mark} error={error} faultId={faultId} className={className}>
      {(control) => (
        <select
          {...select}
          {...control}
          data-single={choices.length === 1 || undefined}
          onChange={(event) => onChange(event.target.value)}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
