import { type ReactNode, useId } from 'react';
import styles from './field.module.css';
import { InfoNote } from './info-note.tsx';

export interface FieldProps {
  readonly label: string;
  /** The label is in sight elsewhere, such as beside the field. */
  readonly hidesLabel?: boolean | undefined;
  readonly help?: string | undefined;
  /** Behind a mark (ⓘ) beside the label. */
  readonly info?: string | undefined;
  /** Shown below the control, which is then marked; true only marks it. */
  readonly error?: string | boolean | undefined;
  /** The id of a fault that is shown elsewhere. */
  readonly faultId?: string | undefined;
  readonly className?: string | undefined;
}

export interface ControlProps {
  readonly id: string;
  readonly className: string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

interface Props extends FieldProps {
  readonly children: (control: ControlProps) => ReactNode;
}

/** A label above its control, with help or a fault below. */
export function Field({ label, hidesLabel = false, help, info, error, faultId, className = '', children }: Props) {
  const id = useId();
  const fault = typeof error === 'string' ? error : undefined;
  const note = fault ?? help;
  const control: ControlProps = {
    id,
    className: styles.control,
    'aria-invalid': error === undefined || error === false ? undefined : true,
    'aria-describedby': note === undefined ? faultId : `${id}-note`,
  };
  return (
    <div className={`${styles.field} ${className}`}>
      <span className={hidesLabel ? 'visually-hidden' : styles.head}>
        <label htmlFor={id} className={styles.label}>
          {label}
        </label>
        {info === undefined ? null : <InfoNote about="more">{info}</InfoNote>}
      </span>
      {children(control)}
      {note === undefined ? null : (
        <span id={`${id}-note`} className={fault === undefined ? styles.help : styles.error}>
          {note}
        </span>
      )}
    </div>
  );
}
