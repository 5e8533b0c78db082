import { type ComponentProps, useState } from 'react';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Field, type FieldProps } from './field.tsx';
import styles from './password-field.module.css';

type Props = FieldProps & Omit<ComponentProps<'input'>, 'onChange'> & { readonly onChange: (value: string) => void };

/** A password field with a button that shows the password. */
export function PasswordField({ label, help, error, className, onChange, ...input }: Props) {
  const [shown, setShown] = useState(false);
  return (
    <Field label={label} help={help} error={error} className={className}>
      {(control) => (
        <div className={styles.box}>
          <input
            {...input}
            {...control}
            type={shown ? 'text' : 'password'}
            onChange={(event) => onChange(event.target.value)}
          />
          <button type="button" className={styles.toggle} aria-controls={control.id} onClick={() => setShown(!shown)}>
            {shown ? COMMON_MESSAGES.password.hide : COMMON_MESSAGES.password.show}
          </button>
        </div>
      )}
    </Field>
  );
}
