import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Button } from './button.tsx';
import field from './field/field.module.css';
import styles from './form-foot.module.css';
import { Told } from './state/told.tsx';
import { FRAME_MESSAGES } from './words.ts';

interface Props {
  readonly isDirty: boolean;
  readonly busy: boolean;
  /** The name of 保存, where a page has several forms. */
  readonly name?: string;
  /** What the last save has stored. Absent: it is said elsewhere. */
  readonly told?: string | null;
  /** Why nothing was saved, where it may be out of sight. */
  readonly fault?: string | undefined;
  readonly onDiscard: () => void;
}

/** Ends a form of settings with its one 保存, which is filled while there is something to save. */
export const FormFoot = ({ isDirty, busy, name, told, fault, onDiscard }: Props) => (
  <div className={`acts end ${styles.foot}`}>
    {told === undefined ? null : <Told>{told}</Told>}
    {fault === undefined ? null : <p className={field.error}>{fault}</p>}
    {isDirty ? (
      <Button busy={busy} onClick={onDiscard}>
        {FRAME_MESSAGES.discard}
      </Button>
    ) : null}
    <Button type="submit" variant={isDirty ? 'primary' : 'default'} busy={busy} aria-label={name}>
      {COMMON_MESSAGES.actions.save}
    </Button>
  </div>
);
