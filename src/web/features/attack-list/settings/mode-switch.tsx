import { useId } from 'react';
import { Switch } from '#web/components/field/switch.tsx';
import styles from './settings-panel.module.css';

interface Props {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** Shows a switch below its label, like the fields beside it. */
export function ModeSwitch({ label, checked, onChange }: Props) {
  const id = useId();
  return (
    <div className={styles.switch}>
      <label htmlFor={id}>{label}</label>
      <Switch id={id} checked={checked} onChange={onChange} />
    </div>
  );
}
