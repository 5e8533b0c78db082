import styles from './switch.module.css';

interface Props {
  /** The name, if no label refers to its id. */
  readonly label?: string;
  readonly id?: string;
  readonly checked: boolean;
  /** Its request is running: the switch ignores changes and keeps the focus. */
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
