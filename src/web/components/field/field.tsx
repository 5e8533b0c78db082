import { type ReactNode, useId } from 'react';
import { InfoNote } from '../inline/info-note.tsx';
import styles from './field.module.css';

export interface FieldProps {
  readonly label: string;
  /** The label is visible elsewhere, such as beside the field. */
  readonly hidesLabel?: boolean | undefined;
  readonly help?: string | undefined;
  /** The text behind a mark (ⓘ) beside the label. */
  readonly info?: string | undefined;
  /** Behind the label: what is said of the last choice (SavedMark). */
  readonly mark?: ReactNode;
  /** The error below the control, which it marks; true: only mark it. */
  readonly error?: string | boolean | undefined;
  /** The id of an error that is shown elsewhere. */
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

/** Shows a label above its control, and below it the error and the help. */
export function Field({
  label,
  hidesLabel = false,
  help,
  info,
  mark,
  error,
  faultId,
  className = '',
  children,
}: Props) {
  const id = useId();
  const fault = typeof error === 'string' ? error : undefined;
  const notes = [...(fault === undefined ? [] : [`${id}-fault`]), ...(help === undefined ? [] : [`${id}-help`])];
  const control: ControlProps = {
    id,
    className: styles.control,
    'aria-invalid': error === undefined || error === false ? undefined : true,
    'aria-describedby': notes.length === 0 ? faultId : notes.join(' '),
  };
  return (
    <div className={`${styles.field} ${className}`}>
      <span className={hidesLabel ? 'visually-hidden' : styles.head}>
        <label htmlFor={id} className={styles.label}>
          {label}
        </label>
        {info === undefined ? null : <InfoNote about="more">{info}</InfoNote>}
        {mark}
      </span>
      {children(control)}
      {fault === undefined ? null : (
        <span id={`${id}-fault`} className={styles.error}>
          {fault}
        </span>
      )}
      {help === undefined ? null : (
        <span id={`${id}-help`} className={styles.help}>
          {help}
        </span>
      )}
    </div>
  );
}
