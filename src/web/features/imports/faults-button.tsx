import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { downloadFile } from '#web/lib/api/save-file.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { May } from '#web/lib/session/use-may.ts';
import { REVIEW_MESSAGES } from './words.ts';

interface Props {
  readonly id: number;
  /** The name of the imported file. */
  readonly name: string;
  readonly label: string;
  /** Shown beside other buttons, as in a row of a list. */
  readonly isQuiet?: boolean;
}

/** Saves the faulty rows of an import as CSV, to be corrected and imported again. */
export function FaultsButton({ id, name, label, isQuiet = false }: Props) {
  const [busy, setBusy] = useState(false);
  const { downloadName, downloadOf } = REVIEW_MESSAGES;

  async function save(): Promise<void> {
    setBusy(true);
    const savedAs = downloadName(name.replace(/\.\w+$/, ''));
    const failure = await downloadFile('getImportFaults', { params: { id: String(id) } }, savedAs);
    setBusy(false);
    if (failure !== null) toast('warning', failure);
  }

  return (
    <May call="getImportFaults">
      <Button
        variant={isQuiet ? 'quiet' : 'default'}
        busy={busy}
        aria-label={label === REVIEW_MESSAGES.download ? undefined : downloadOf(name)}
        onClick={() => void save()}
      >
        {label}
      </Button>
    </May>
  );
}
