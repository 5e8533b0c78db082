import { useEffect, useRef, useState } from 'react';
import type { ProspectView } from '#contract/prospect.ts';
import { WORDS } from '#web/lib/words.ts';
import styles from './remarks-cell.module.css';
import { RemarksEditor } from './remarks-editor.tsx';

interface Props {
  readonly prospect: ProspectView;
  readonly groupId: number;
}

/** Remarks as text; a click, or Enter on it, edits them in their place. */
export function RemarksCell({ prospect, groupId }: Props) {
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const returnFocus = useRef(false);

  useEffect(() => {
    if (editing || !returnFocus.current) return;
    returnFocus.current = false;
    button.current?.focus();
  }, [editing]);

  if (editing) {
    return (
      <RemarksEditor
        prospect={prospect}
        groupId={groupId}
        onClose={(keepFocus) => {
          returnFocus.current = keepFocus;
          setEditing(false);
        }}
      />
    );
  }
  return (
    <button
      ref={button}
      type="button"
      className={styles.remarks}
      title={prospect.remarks === '' ? undefined : prospect.remarks}
      onClick={() => setEditing(true)}
    >
      <span className={styles.text}>{prospect.remarks}</span>
      <span className="visually-hidden">{WORDS.prospects.editRemarksOf(prospect.company_name)}</span>
    </button>
  );
}
