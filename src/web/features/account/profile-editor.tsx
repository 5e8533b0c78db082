import { type KeyboardEvent, type SubmitEvent, useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { TextField } from '#web/components/text-field.tsx';
import { TheirChanges } from '#web/components/their-changes.tsx';
import { hasCode } from '#web/lib/query-client.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './account.module.css';
import { fieldFault } from './field-fault.ts';
import { type ProfileItem, useSaveProfile } from './save-profile.ts';
import { ACCOUNT_MESSAGES } from './words.ts';

interface Props {
  readonly accountId: number;
  readonly item: ProfileItem;
  readonly label: string;
  /** The server's present value. */
  readonly value: string;
  readonly draft: string;
  readonly version?: string | undefined;
  /** The value is the one that the draft began from. */
  readonly isSeen: boolean;
  readonly help?: string;
  readonly type?: 'text' | 'email';
  readonly autoComplete: string;
  readonly onType: (text: string) => void;
  readonly onCancel: () => void;
  readonly onSaved: (value: string) => void;
}

/** Edits one item: Enter saves, Escape cancels. Refused text stays, with the reason at the field. */
export function ProfileEditor(props: Props) {
  const { item, label, value, draft, help, type = 'text', autoComplete } = props;
  const { mutate, isPending, error, reset } = useSaveProfile(props.accountId, item, props.version);
  // A draft restored by a reload or a login does not take the focus.
  const [isNew] = useState(draft === value);
  const input = useRef<HTMLInputElement>(null);
  const text = draft.trim();
  const fault = fieldFault(error, `update_info.${item}`);
  const theirs = props.isSeen || text === value ? [] : [{ label, value }];
  // The notice says it then, not the field.
  const isTold = theirs.length > 0 && hasCode(error, 'account_changed');

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (!isPending) mutate(text, { onSuccess: () => props.onSaved(text), onError: () => input.current?.focus() });
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !isPending) props.onCancel();
  }

  return (
    <form className={styles.editor} onSubmit={submit} noValidate>
      <TheirChanges message={isTold ? fault : undefined} theirs={theirs}>
        <Button onClick={props.onCancel}>{COMMON_MESSAGES.theirChanges.load}</Button>
      </TheirChanges>
      <TextField
        ref={input}
        label={label}
        help={help}
        error={isTold ? undefined : fault}
        type={type}
        autoComplete={autoComplete}
        autoFocus={isNew}
        onFocus={(event) => event.target.select()}
        onKeyDown={onKeyDown}
        readOnly={isPending}
        value={draft}
        onChange={(typed) => {
          props.onType(typed);
          if (error !== null) reset();
        }}
      />
      <div className={styles.actions}>
        <Button aria-disabled={isPending} onClick={() => isPending || props.onCancel()}>
          {COMMON_MESSAGES.actions.cancel}
        </Button>
        <Button type="submit" variant="primary" busy={isPending} disabled={text === value}>
          {ACCOUNT_MESSAGES.saveChange}
        </Button>
      </div>
    </form>
  );
}
