import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useId, useState } from 'react';
import { MAX_CLOSING_DAYS, readClosingDay } from '#domain/sending/rules/closing-days.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { Field } from '#web/components/field/field.tsx';
import { FileButton } from '#web/components/field/file-button.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { type ApiFailure, call } from '#web/lib/api/call.ts';
import { reloadRules } from '#web/lib/data/group-rules.ts';
import type { Affected } from '../affected-notice.tsx';
import { GroupField } from './closing-day-dialog.tsx';
import styles from './closing-days.module.css';
import { type Group, shownDays } from './closing-days-query.ts';
import { type ClosingRow, decodeTable, faultOfRow, readClosingRows } from './read-closing-csv.ts';
import { CLOSING_DAY_MESSAGES as messages } from './words.ts';

/** The maximum file size in bytes, far more than the permitted rows need. */
const MAX_BYTES = 1_000_000;
/** The number of days and errors shown; further ones are only counted. */
const SHOWN_DAYS = 5;
const SHOWN_FAULTS = 10;

interface Props {
  readonly groups: readonly Group[];
  readonly onClose: () => void;
  /** Called with a sentence about the added days, and the reservations that they affect. */
  readonly onDone: (told: string, change: Affected) => void;
}

/** A chosen file. */
interface Chosen {
  readonly name: string;
  readonly rows: readonly ClosingRow[];
  /** Why nothing can be added from it. */
  readonly fault?: string;
  /** Its invalid lines. */
  readonly lines?: readonly string[];
}

/** Adds the closing days of a file. If one row is invalid, none is added. */
export function ClosingCsvDialog({ groups, onClose, onDone }: Props) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [group, setGroup] = useState('');
  const [problems, setProblems] = useState<readonly string[]>([]);
  const rows = chosen === null || chosen.fault !== undefined ? null : chosen.rows;
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
      onDone(messages.imported(answer.data.added, answer.data.skipped), answer.data);
      onClose();
      await reloadRules(client);
    },
  });

  async function choose(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    setProblems([]);
    setChosen(await readFile(file));
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (rows !== null && !busy) mutate(rows);
  }

  return (
    <Dialog title={messages.csvTitle} size={520} onClose={() => busy || onClose()}>
      <form className="stack" onSubmit={submit} noValidate>
        <Field label={messages.file} help={messages.fileHelp} error={chosen?.fault}>
          {(control) => (
            <div className={styles.file}>
              <FileButton
                id={control.id}
                aria-invalid={control['aria-invalid']}
                aria-describedby={control['aria-describedby']}
                accept=".csv,.tsv,.txt"
                busy={busy}
                data-autofocus
                onFiles={([file]) => void choose(file)}
              >
                {chosen === null ? messages.chooseFile : messages.chooseOther}
              </FileButton>
              <span className={chosen === null ? 'note' : 'cut'}>{chosen?.name ?? messages.noFile}</span>
            </div>
          )}
        </Field>
        {chosen?.lines === undefined ? null : <Faults lines={chosen.lines} />}
        {rows === null ? null : <FoundDays rows={rows} />}
        <GroupField groups={groups} value={group} onChange={setGroup} />
        {problems.length === 0 ? null : (
          <Notice tone="bad" role="alert">
            <p>{messages.rowsWrong}</p>
            <Faults lines={problems} />
          </Notice>
        )}
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={onClose} />}
          act={
            <Button type="submit" variant="primary" busy={busy} disabled={rows === null}>
              {rows === null ? messages.addAct : messages.addDays(rows.length)}
            </Button>
          }
        >
          <p role="status" className={dialog.consequence}>
            {chosen === null ? messages.chooseHelp : ''}
          </p>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

/** Reads a file, and validates it before anything is sent. */
async function readFile(file: File): Promise<Chosen> {
  const { name } = file;
  const wrong = (fault: string, lines?: readonly string[]): Chosen => ({
    name,
    rows: [],
    fault,
    ...(lines && { lines }),
  });
  if (file.size > MAX_BYTES) return wrong(messages.fileTooLarge);
  // The file may have been changed or deleted since it was chosen.
  const bytes = await file.arrayBuffer().catch(() => null);
  if (bytes === null) return wrong(messages.fileUnreadable);
  const rows = readClosingRows(decodeTable(bytes));
  if (rows.length === 0) return wrong(messages.fileEmpty);
  if (rows.length > MAX_CLOSING_DAYS) return wrong(messages.fileTooLong(MAX_CLOSING_DAYS));
  const lines = rows.flatMap((row) => {
    const fault = faultOfRow(row);
    return fault === null ? [] : [messages.atLine(row.line, fault)];
  });
  return lines.length === 0 ? { name, rows } : wrong(messages.wrong(lines.length), lines);
}

/** Lists the days that would be added, the first ones by name. */
function FoundDays({ rows }: { readonly rows: readonly ClosingRow[] }) {
  const id = useId();
  return (
    <div role="status" className={styles.found}>
      <p id={id}>{messages.found(rows.length)}</p>
      <ul aria-labelledby={id}>
        {rows.slice(0, SHOWN_DAYS).map(({ line, day, name }) => (
          <li key={line}>
            <span className="note">{shownDays(readClosingDay(day) ?? day)}</span>
            <span>{name}</span>
          </li>
        ))}
      </ul>
      {rows.length > SHOWN_DAYS ? <span className="note">{messages.moreDays(rows.length - SHOWN_DAYS)}</span> : null}
    </div>
  );
}

function Faults({ lines }: { readonly lines: readonly string[] }) {
  const rest = lines.length - SHOWN_FAULTS;
  return (
    <ul className={`bullets ${styles.faults}`} aria-label={messages.faults}>
      {lines.slice(0, SHOWN_FAULTS).map((line) => (
        <li key={line}>{line}</li>
      ))}
      {rest > 0 ? <li>{messages.more(rest)}</li> : null}
    </ul>
  );
}

/** Returns the errors of a refused table, each with its line in the file. */
function problemsOf({ message, details = [] }: ApiFailure, rows: readonly ClosingRow[]): string[] {
  const faults = details.flatMap(({ path, message: fault }) => {
    const row = rows[Number(/^rows\.(\d+)/.exec(path)?.[1])];
    return row === undefined ? [] : [messages.atLine(row.line, fault)];
  });
  return faults.length === 0 ? [message] : faults;
}
