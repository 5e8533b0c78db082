import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useId, useState } from 'react';
import { MAX_CLOSING_DAYS } from '#domain/sending/rules/closing-days.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import dialog from '#web/components/dialog-body.module.css';
import { Field } from '#web/components/field.tsx';
import { Notice } from '#web/components/notice.tsx';
import { type ApiFailure, call } from '#web/lib/call.ts';
import { reloadRules } from '#web/lib/group-rules.ts';
import { toast } from '#web/lib/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { GroupField } from './closing-day-dialog.tsx';
import styles from './closing-days.module.css';
import type { Group } from './closing-days-query.ts';
import { type ClosingRow, decodeTable, readClosingRows } from './read-closing-csv.ts';
import { CLOSING_DAY_MESSAGES as messages } from './words.ts';

/** Far above what so many rows need. */
const MAX_BYTES = 1_000_000;
/** More faults than that are counted. */
const SHOWN_FAULTS = 10;

interface Props {
  readonly groups: readonly Group[];
  readonly onClose: () => void;
}

/** Adds the closing days of a file. If one row is wrong, none is added. */
export function ClosingCsvDialog({ groups, onClose }: Props) {
  const client = useQueryClient();
  const [rows, setRows] = useState<readonly ClosingRow[] | null>(null);
  const [group, setGroup] = useState('');
  const [fault, setFault] = useState<string>();
  const [problems, setProblems] = useState<readonly string[]>([]);
  const id = useId();
  const { mutate, isPending: busy } = useMutation({
    mutationFn: (found: readonly ClosingRow[]) =>
      call('importClosingDays', {
        body: {
          rows: found.map(({ day, name }) => ({ day, name })),
          sender_group_id: group === '' ? null : Number(group),
        },
      }),
    onSuccess: async (answer, found) => {
      if (!answer.ok) return setProblems(problemsOf(answer, found));
      toast('success', messages.imported(answer.data.added, answer.data.skipped));
      onClose();
      await reloadRules(client);
    },
  });

  async function choose(file: File | undefined): Promise<void> {
    setProblems([]);
    setRows(null);
    if (file === undefined) return setFault(undefined);
    if (file.size > MAX_BYTES) return setFault(messages.fileTooLarge);
    // The file may have changed or gone since it was chosen.
    const bytes = await file.arrayBuffer().catch(() => null);
    if (bytes === null) return setFault(messages.fileUnreadable);
    const found = readClosingRows(decodeTable(bytes));
    if (found.length === 0) return setFault(messages.fileEmpty);
    if (found.length > MAX_CLOSING_DAYS) return setFault(messages.fileTooLong(MAX_CLOSING_DAYS));
    setFault(undefined);
    setRows(found);
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (rows === null) setFault(fault ?? messages.fileMissing);
    else if (!busy) mutate(rows);
  }

  return (
    <Dialog title={messages.csvTitle} onClose={() => busy || onClose()}>
      <form className="stack" onSubmit={submit} noValidate>
        <Field label={messages.file} help={messages.fileHelp} error={fault}>
          {(control) => (
            <input
              {...control}
              type="file"
              accept=".csv,.tsv,.txt"
              className={`${control.className} ${styles.file}`}
              data-autofocus
              onChange={({ target }) => void choose(target.files?.[0])}
            />
          )}
        </Field>
        <GroupField groups={groups} value={group} onChange={setGroup} />
        {rows === null ? null : <p role="status">{messages.found(rows.length)}</p>}
        {problems.length === 0 ? null : (
          <Notice tone="bad" role="alert">
            <p id={id}>{messages.rowsWrong}</p>
            <ul className="bullets" aria-labelledby={id}>
              {problems.slice(0, SHOWN_FAULTS).map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
            {problems.length > SHOWN_FAULTS ? <p>{messages.more(problems.length - SHOWN_FAULTS)}</p> : null}
          </Notice>
        )}
        <div className={dialog.buttons}>
          <Button busy={busy} onClick={onClose}>
            {COMMON_MESSAGES.actions.cancel}
          </Button>
          <Button type="submit" variant="primary" busy={busy}>
            {messages.addAct}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns the faults of a refused table, each with the line of the file. */
function problemsOf({ message, details = [] }: ApiFailure, rows: readonly ClosingRow[]): string[] {
  const faults = details.flatMap(({ path, message: fault }) => {
    const row = rows[Number(/^rows\.(\d+)/.exec(path)?.[1])];
    return row === undefined ? [] : [messages.atLine(row.line, fault)];
  });
  return faults.length === 0 ? [message] : faults;
}
