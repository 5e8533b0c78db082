import { type ReactNode, useId } from 'react';
import fieldStyles from './field.module.css';

interface Props {
  readonly label: string;
  /** Names what stands beside it, for a control that has no label of its own. */
  readonly children: (labelId: string) => ReactNode;
}

/** One line of a panel of settings: its name, and beside it what is set. On phones below it. */
export function SettingRow({ label, children }: Props) {
  const id = useId();
  return (
    <div className="setting">
      <span id={id} className={fieldStyles.label}>
        {label}
      </span>
      <div className="stack">{children(id)}</div>
    </div>
  );
}
