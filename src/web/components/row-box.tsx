import type { Ref } from 'react';
import styles from './row-box.module.css';

interface Props {
  readonly name: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
  readonly ref?: Ref<HTMLInputElement>;
  /** The box is in a row, not in the header: on phones it stands before the name. */
  readonly isOfRow?: boolean;
}

/** Shows a checkbox that fills its table cell, so that a click beside it counts too. */
export const RowBox = ({ name, checked, onChange, disabled = false, ref, isOfRow = true }: Props) => (
  <label className={styles.box} data-select={isOfRow || undefined}>
    <input
      ref={ref}
      type="checkbox"
      aria-label={name}
      aria-disabled={disabled || undefined}
      checked={checked}
      onChange={(event) => onChange(event.target.checked)}
    />
  </label>
);
