import { type KeyboardEvent, useState } from 'react';
import type { ProspectView } from '#contract/prospect.ts';
import { MAX_REMARKS_LENGTH } from '#domain/limits.ts';
import { WORDS } from '#web/lib/words.ts';
import styles from './remarks-cell.module.css';
import { useSaveActiveProspect } from './save-active-prospect.ts';

interface Props {
  readonly prospect: ProspectView;
  readonly groupId: number;
  /** keepFocus: the editor had it, so the cell should take it. */
  readonly onClose: (keepFocus: boolean) => void;
}

/** Closes when the server has saved; what was typed stays when it could not. Shift+Enter breaks the line. */
export function RemarksEditor({ prospect, groupId, onClose }: Props) {
  const [text, setText] = useState(prospect.remarks);
  const { mutate, isPending } = useSaveActiveProspect(prospect, groupId);

  function save(keepFocus: boolean): void {
    if (isPending) return;
    const remarks = text.trim().toWellFormed();
    if (remarks === prospect.remarks) onClose(keepFocus);
    else mutate({ remarks }, { onSuccess: () => onClose(keepFocus) });
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    // The Enter that ends a conversion of the input method saves nothing.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape' && !isPending) onClose(true);
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      save(true);
    }
  }

  return (
    <textarea
      // biome-ignore lint/a11y/noAutofocus: it opens where its button had the focus
      autoFocus
      className={styles.editor}
      aria-label={WORDS.prospects.remarksOf(prospect.company_name)}
      title={WORDS.prospects.remarksHelp}
      aria-busy={isPending}
      readOnly={isPending}
      rows={2}
      maxLength={MAX_REMARKS_LENGTH}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onFocus={(event) => event.target.select()}
      onBlur={() => save(false)}
      onKeyDown={onKeyDown}
    />
  );
}
