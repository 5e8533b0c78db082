import styles from './segmented.module.css';

interface Props<Value extends string> {
  /** The accessible name of the choice. */
  readonly label: string;
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** Shows a few joined buttons, one of them pressed, that choose how the content is shown. */
export function Segmented<Value extends string>({ label, choices, value, onChange }: Props<Value>) {
  return (
    <fieldset className={styles.choices} aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
