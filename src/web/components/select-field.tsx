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

/** The browser's own select: quick with many choices, right on phones and for screen readers. */
export function SelectField({ label, help, error, faultId, className, choices, onChange, ...select }: Props) {
  return (
    <Field label={label} help={help} error={error} faultId={faultId} className={className}>
      {(control) => (
        <select {...select} {...control} onChange={(event) => onChange(event.target.value)}>
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
