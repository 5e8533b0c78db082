import { type KeyboardEvent, useId, useState } from 'react';
import type { ProspectView } from '#contract/prospect.ts';
import { MAX_REMARKS_LENGTH } from '#domain/limits.ts';
import styles from './remarks-cell.module.css';
import { useSaveActiveProspect } from './save-active-prospect.ts';
import { PROSPECT_MESSAGES } from './words.ts';

interface Props {
  readonly prospect: ProspectView;
  readonly groupId: number;
  readonly draft: string;
  readonly onType: (text: string) => void;
  /** Called before it closes. keepFocus: the cell should take the editor's focus. */
  readonly onLeave: (keepFocus: boolean) => void;
  readonly onCancel: () => void;
}

/**
 * Edits remarks: Enter saves, Shift+Enter inserts a line break, Escape cancels.
 * It closes once the server has saved. Long or refused text stays, with the reason.
 */
export function RemarksEditor({ prospect, groupId, draft, onType, onLeave, onCancel }: Props) {
  const { mutate, isPending, error, reset } = useSaveActiveProspect(prospect, groupId);
  const faultId = useId();
  // A draft restored by a reload or a login does not take the focus.
  const [isNew] = useState(draft === prospect.remarks);
  const { length } = draft.trim();
  const fault =
    length > MAX_REMARKS_LENGTH ? PROSPECT_MESSAGES.remarksTooLong(MAX_REMARKS_LENGTH, length) : error?.message;

  function save(keepFocus: boolean): void {
    if (isPending || length > MAX_REMARKS_LENGTH) return;
    const remarks = draft.trim().toWellFormed();
    onLeave(keepFocus);
    if (remarks === prospect.remarks) onCancel();
    else mutate({ remarks });
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key === 'Escape' && !isPending) {
      onLeave(true);
      onCancel();
    }
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      save(true);
    }
  }

  return (
    <>
      <textarea
        // biome-ignore lint/a11y/noAutofocus: it opens where its button had the focus
        autoFocus={isNew}
        className={styles.editor}
        aria-label={PROSPECT_MESSAGES.remarksOf(prospect.company_name)}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={fault === undefined ? undefined : faultId}
        title={PROSPECT_MESSAGES.remarksHelp}
        aria-busy={isPending}
        readOnly={isPending}
        rows={2}
        value={draft}
        onChange={(event) => {
          onType(event.target.value);
          if (error !== null) reset();
        }}
        onFocus={(event) => event.target.select()}
        onBlur={() => save(false)}
        onKeyDown={onKeyDown}
      />
      {fault === undefined ? null : (
        <p id={faultId} className={styles.fault}>
          {fault}
        </p>
      )}
    </>
  );
}
