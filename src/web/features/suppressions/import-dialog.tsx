import { type SubmitEvent, useState } from 'react';
import { MAX_IMPORT_PART_BYTES } from '#domain/company/import-limits.ts';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { Field } from '#web/components/field/field.tsx';
import { asMessage } from '#web/lib/phrases.ts';
import { AddButtons } from './add-buttons.tsx';
import { type GivenClass, type ImportAnswer, postSuppressionFile } from './add-suppressions.ts';
import { ClassField } from './class-field.tsx';
import { Effects } from './effects.tsx';
import styles from './suppressions.module.css';
import { useAdd } from './use-add.ts';
import { SUPPRESSION_ADD_MESSAGES as messages } from './words.ts';

const TYPES = '.csv,.tsv,.txt,.xlsx';

interface Props {
  readonly onClose: () => void;
}

/** Adds the addresses and domains of a file. It first counts what they change, and which rows it skips. */
export default function ImportDialog({ onClose }: Props) {
  const [bytes, setBytes] = useState<ArrayBuffer | null>(null);
  const [type, setType] = useState<GivenClass>('blocked');
  const [fault, setFault] = useState<string>();
  const add = useAdd<ImportAnswer>({
    send: (isTrial) => postSuppressionFile(bytes ?? new ArrayBuffer(0), type, isTrial),
    onProblem: ({ code, message }) => {
      if (code !== 'unreadable_file') return false;
      setFault(message);
      return true;
    },
    onStored: onClose,
  });

  async function choose(file: File | undefined): Promise<void> {
    add.forget();
    setBytes(null);
    if (file === undefined) return setFault(undefined);
    if (file.size > MAX_IMPORT_PART_BYTES) return setFault(messages.fileTooLarge);
    // The file may have been changed or deleted since it was chosen.
    const read = await file.arrayBuffer().catch(() => null);
    setBytes(read);
    setFault(read === null ? messages.fileUnreadable : undefined);
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (bytes === null) setFault(fault ?? messages.fileMissing);
    else void add.submit();
  }

  return (
    <Dialog title={messages.importTitle} size={560} onClose={() => !add.busy && onClose()}>
      <form className={`stack ${styles.fields}`} onSubmit={submit} noValidate>
        <Field label={messages.file} help={messages.fileHelp} error={fault}>
          {(control) => (
            <input
              {...control}
              type="file"
              accept={TYPES}
              className={styles.file}
              data-autofocus
              onChange={({ target }) => void choose(target.files?.[0])}
            />
          )}
        </Field>
        <ClassField
          value={type}
          onChange={(chosen) => {
            setType(chosen);
            add.forget();
          }}
        />
        {add.counted === null ? null : (
          <>
            <Effects counted={add.counted} />
            <Faults found={add.counted} />
          </>
        )}
        <AddButtons added={add.counted?.added ?? null} busy={add.busy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** Shows the rows that cannot be read, the first ones in full. */
function Faults({ found: { faults, faults_total } }: { readonly found: ImportAnswer }) {
  if (faults_total === 0) return null;
  return (
    <details className={styles.faults}>
      <summary>{messages.faults(faults_total)}</summary>
      <ul>
        {faults.map(({ row, value, message }) => (
          <li key={row}>{messages.fault(row, value, asMessage(message))}</li>
        ))}
      </ul>
    </details>
  );
}
