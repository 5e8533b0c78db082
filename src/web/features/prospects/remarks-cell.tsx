import { useEffect, useRef } from 'react';
import type { ProspectView } from '#contract/companies/prospects.ts';
import { readTextDraft, writeTextDraft } from '#web/lib/form/text-draft.ts';
import { setDraft, useSession } from '#web/lib/session/session-store.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import styles from './remarks-cell.module.css';
import { RemarksEditor } from './remarks-editor.tsx';
import { remarksDraft } from './save-active-prospect.ts';
import { PROSPECT_MESSAGES } from './words.ts';

interface Props {
  readonly prospect: ProspectView;
  readonly groupId: number;
}

export function RemarksCell({ prospect, groupId }: Props) {
  const field = remarksDraft(groupId, prospect.id);
  const draft = useSession(({ drafts }) => drafts[field]);
  const mayEdit = useMay('saveActiveProspect', { groupId });
  const editing = mayEdit && draft !== undefined;
  const button = useRef<HTMLButtonElement>(null);
  const returnFocus = useRef(false);

  useEffect(() => {
    if (editing || !returnFocus.current) return;
    returnFocus.current = false;
    button.current?.focus();
  }, [editing]);

  if (editing) {
    const { text, version } = readTextDraft(draft);
    return (
      <RemarksEditor
        prospect={prospect}
        groupId={groupId}
        draft={text}
        seen={version ?? prospect.remarks_version}
        onType={(typed) => setDraft(field, writeTextDraft({ text: typed, version }))}
        onLeave={(keepFocus) => {
          returnFocus.current = keepFocus;
        }}
        onCancel={() => setDraft(field, null)}
      />
    );
  }
  if (!mayEdit) return prospect.remarks;
  return (
    <button
      ref={button}
      type="button"
      className={`line ${styles.remarks}`}
      title={prospect.remarks === '' ? undefined : prospect.remarks}
      onClick={() => setDraft(field, writeTextDraft({ text: prospect.remarks, version: prospect.remarks_version }))}
    >
      <span className={`cut ${styles.text}`}>{prospect.remarks}</span>
      <span className="visually-hidden">{PROSPECT_MESSAGES.editRemarksOf(prospect.company_name)}</span>
    </button>
  );
}
