import type { ComponentProps } from 'react';
import { Field, type FieldProps } from './field.tsx';

type Props = FieldProps & Omit<ComponentProps<'input'>, 'onChange'> & { readonly onChange: (value: string) => void };

export function TextField({ label, hidesLabel, help, info, error, className, onChange, ...input }: Props) {
  return (
    <Field label={label} hidesLabel={hidesLabel} help={help} info={info} error={error} className={className}>
      {(control) => <input type="text" {...input} {...control} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}
