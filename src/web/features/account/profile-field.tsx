import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '#web/components/button.tsx';
import { SettingRow } from '#web/components/field/setting-row.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { ProfileEditor } from './profile-editor.tsx';
import { type ProfileParts, useProfileForm } from './use-profile-form.ts';

interface Props extends ProfileParts {
  readonly label: string;
  readonly help?: string;
  readonly type?: 'text' | 'email';
  readonly autoComplete: string;
  /** Whether the member may change it; absent: yes. */
  readonly may?: boolean;
  /** Shown below the value. */
  readonly children?: ReactNode;
}

/** Shows or edits one item of the profile. */
export function ProfileField({ label, value, help, type, autoComplete, may = true, children, ...props }: Props) {
  const { onSaved, ...parts } = props;
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

  return (
    <SettingRow label={label}>
      {(labelId) => (
        <>
          {isOpen && may ? (
            <ProfileEditor {...{ edited, label, value, help, type, autoComplete }} onCancel={cancel} />
          ) : (
            <div className="spread">
              <span>{value}</span>
              {may ? (
                <Button ref={button} aria-describedby={labelId} onClick={() => edited.change({ text: value })}>
                  {COMMON_MESSAGES.actions.edit}
                </Button>
              ) : null}
            </div>
          )}
          {children}
        </>
      )}
    </SettingRow>
  );
}
