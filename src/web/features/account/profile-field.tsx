import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from '#web/components/button.tsx';
import { setDraft, useSession } from '#web/lib/session-store.ts';
import { readTextDraft, writeTextDraft } from '#web/lib/text-draft.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './account.module.css';
import { ProfileEditor } from './profile-editor.tsx';
import type { ProfileItem } from './save-profile.ts';

interface Props {
  readonly accountId: number;
  readonly item: ProfileItem;
  readonly label: string;
  readonly value: string;
  /** Of a value that other members can change as well. */
  readonly version?: string | undefined;
  readonly help?: string;
  readonly type?: 'text' | 'email';
  readonly autoComplete: string;
  readonly onSaved: (value: string) => void;
  /** Below the value. */
  readonly children?: ReactNode;
}

/** Shows or edits one item of the profile. The typed text is a draft of the session, so a reload keeps it. */
export function ProfileField({ label, value, children, onSaved, ...editor }: Props) {
  const field = `account.${editor.item}`;
  const draft = useSession(({ drafts }) => drafts[field]);
  const editing = draft !== undefined;
  const { version } = editor;
  const labelId = useId();
  const button = useRef<HTMLButtonElement>(null);
  const returnFocus = useRef(false);

  useEffect(() => {
    if (editing || !returnFocus.current) return;
    returnFocus.current = false;
    button.current?.focus();
  }, [editing]);

  function close(): void {
    returnFocus.current = true;
    setDraft(field, null);
  }

  if (editing) {
    const { text, version: seen } = readTextDraft(draft);
    return (
      <div className={styles.item}>
        <ProfileEditor
          {...editor}
          label={label}
          value={value}
          draft={text}
          isSeen={seen === undefined || seen === version}
          onType={(typed) => setDraft(field, writeTextDraft({ text: typed, version: seen ?? version }))}
          onCancel={close}
          onSaved={(saved) => {
            close();
            onSaved(saved);
          }}
        />
        {children}
      </div>
    );
  }
  return (
    <div className={styles.item}>
      <div className={styles.shown}>
        <div className={styles.text}>
          <span id={labelId} className={styles.label}>
            {label}
          </span>
          <span className={styles.value}>{value}</span>
        </div>
        <Button
          ref={button}
          aria-describedby={labelId}
          onClick={() => setDraft(field, writeTextDraft({ text: value, version }))}
        >
          {COMMON_MESSAGES.actions.edit}
        </Button>
      </div>
      {children}
    </div>
  );
}
