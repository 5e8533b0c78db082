import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from '#web/components/button.tsx';
import fieldStyles from '#web/components/field.module.css';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './account.module.css';
import { ProfileEditor } from './profile-editor.tsx';
import { type ProfileParts, useProfileForm } from './use-profile-form.ts';

interface Props extends ProfileParts {
  readonly label: string;
  readonly help?: string;
  readonly type?: 'text' | 'email';
  readonly autoComplete: string;
  /** Below the value. */
  readonly children?: ReactNode;
}

/** Shows or edits one item of the profile. */
export function ProfileField({ label, value, help, type, autoComplete, children, onSaved, ...parts }: Props) {
  const labelId = useId();
  const button = useRef<HTMLButtonElement>(null);
  const returnFocus = useRef(false);
  const edited = useProfileForm({
    ...parts,
    value,
    onSaved: (saved) => {
      returnFocus.current = true;
      onSaved(saved);
    },
  });
  const { isDirty: isOpen } = edited;

  useEffect(() => {
    if (isOpen || !returnFocus.current) return;
    returnFocus.current = false;
    button.current?.focus();
  }, [isOpen]);

  function cancel(): void {
    returnFocus.current = true;
    edited.discard();
  }

  if (isOpen) {
    return (
      <div className="entry">
        <ProfileEditor {...{ edited, label, value, help, type, autoComplete }} onCancel={cancel} />
        {children}
      </div>
    );
  }
  return (
    <div className="entry">
      <div className="spread">
        <div className="stack-tight">
          <span id={labelId} className={fieldStyles.label}>
            {label}
          </span>
          <span className={styles.value}>{value}</span>
        </div>
        <Button ref={button} aria-describedby={labelId} onClick={() => edited.change({ text: value })}>
          {COMMON_MESSAGES.actions.edit}
        </Button>
      </div>
      {children}
    </div>
  );
}
