import { type ReactNode, useId } from 'react';
import fieldStyles from './field.module.css';

interface Props {
  readonly label: string;
  /** Renders the control. `labelId` names a control without its own label. */
  readonly children: (labelId: string) => ReactNode;
}

/** Shows one setting of a panel: its name, and its control beside it, on phones below. */
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
