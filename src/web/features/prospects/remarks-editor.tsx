import { type KeyboardEvent, useId, useState } from 'react';
import type { ProspectView } from '#contract/companies/prospects.ts';
import { MAX_REMARKS_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import field from '#web/components/field/field.module.css';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { hasCode } from '#web/lib/api/query-client.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './remarks-cell.module.css';
import { REMARKS_CHANGED, useSaveActiveProspect } from './save-active-prospect.ts';
import { PROSPECT_MESSAGES } from './words.ts';

const { overwrite, both, load } = COMMON_MESSAGES.theirChanges;

interface Props {
  readonly prospect: ProspectView;
  readonly groupId: number;
  readonly draft: string;
  /** The version of the remarks that the draft is based on. */
  readonly seen: string;
  readonly onType: (text: string) => void;
  /** Called before the editor closes. keepFocus: the cell should take the editor's focus. */
  readonly onLeave: (keepFocus: boolean) => void;
  readonly onCancel: () => void;
}

/**
 * Edits remarks: Enter saves, Shift+Enter inserts a line break, Escape cancels.
 * It closes once the server has saved. Text that is too long or was refused stays, with the reason. If another member
 * has changed the remarks meanwhile, both texts are shown, and only a button decides.
 */
export function RemarksEditor({ prospect, groupId, draft, seen, onType, onLeave, onCancel }: Props) {
  const { mutate, isPending, error, reset } = useSaveActiveProspect(prospect, groupId);
  const faultId = useId();
  // A draft that a reload or a login restored must not take the focus.
  const [isNew] = useState(draft === prospect.remarks);
  const text = draft.trim().toWellFormed();
  const { length } = text;
  const isConflict = seen !== prospect.remarks_version && text !== prospect.remarks;
  const isChanged = hasCode(error, REMARKS_CHANGED);
  const fault = isConflict ? undefined : error?.message;
  const shown = length > MAX_REMARKS_LENGTH ? PROSPECT_MESSAGES.remarksTooLong(MAX_REMARKS_LENGTH, length) : fault;

  function save(remarks: string, keepFocus: boolean): void {
    if (isPending) return;
    // The field shows the error.
    if (remarks.length > MAX_REMARKS_LENGTH) {
      if (remarks !== text) onType(remarks);
      return;
    }
    onLeave(keepFocus);
    if (remarks === prospect.remarks) onCancel();
    else mutate({ remarks, version: isConflict ? prospect.remarks_version : seen });
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === 'Escape' && !isPending) {
      onLeave(true);
      onCancel();
    }
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      if (!isConflict) save(text, true);
    }
  }

  return (
    <>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: it opens where its button had the focus
        autoFocus={isNew}
        className={`${field.control} ${styles.editor}`}
        aria-label={PROSPECT_MESSAGES.remarksOf(prospect.company_name)}
        aria-invalid={shown !== undefined || isConflict || undefined}
        aria-describedby={shown === undefined ? undefined : faultId}
        title={PROSPECT_MESSAGES.remarksHelp}
        aria-busy={isPending}
        readOnly={isPending}
        rows={2}
        value={draft}
        onChange={(event) => {
          onType(event.target.value);
          if (error !== null && !isChanged) reset();
        }}
        onFocus={(event) => event.target.select()}
        onBlur={() => isConflict || save(text, false)}
        onKeyDown={onKeyDown}
      />
      {shown === undefined ? null : (
        <p id={faultId} className={`${field.error} ${styles.fault}`}>
          {shown}
        </p>
      )}
      {isConflict ? (
        <RemarksConflict
          message={isChanged ? error?.message : undefined}
          theirs={prospect.remarks}
          busy={isPending}
          onOverwrite={() => save(text, true)}
          onBoth={() => save(`${prospect.remarks}\n${text}`, true)}
          onTake={() => {
            onLeave(true);
            onCancel();
          }}
        />
      ) : null}
    </>
  );
}

interface RemarksConflictProps {
  /** The server's sentence: who changed the remarks, and when. */
  readonly message: string | undefined;
  readonly theirs: string;
  readonly busy: boolean;
  readonly onOverwrite: () => void;
  readonly onBoth: () => void;
  readonly onTake: () => void;
}

/** Shows the remarks that another member has saved meanwhile, and asks which text to keep. */
function RemarksConflict({ message, theirs, busy, onOverwrite, onBoth, onTake }: RemarksConflictProps) {
  return (
    <TheirChanges
      className={styles.conflict}
      message={message}
      theirs={[{ label: DATA_MESSAGES.prospects.columns.remarks, value: theirs }]}
    >
      {theirs === '' ? null : (
        <Button busy={busy} onClick={onBoth}>
          {both}
        </Button>
      )}
      <Button busy={busy} onClick={onOverwrite}>
        {overwrite}
      </Button>
      <Button busy={busy} onClick={onTake}>
        {load}
      </Button>
    </TheirChanges>
  );
}
