import styles from './switch.module.css';

interface Props {
  /** Its name, where no label with this id names it. */
  readonly label?: string;
  readonly id?: string;
  readonly checked: boolean;
  /** Its request runs: changes are ignored, and the focus stays where it is. */
  readonly busy?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Switch({ label, id, checked, busy = false, onChange }: Props) {
  return (
    <input
      id={id}
      type="checkbox"
      role="switch"
      className={styles.switch}
      aria-label={label}
      aria-checked={checked}
      aria-disabled={busy || undefined}
      checked={checked}
      onChange={(event) => {
        if (!busy) onChange(event.target.checked);
      }}
    />
  );
}
