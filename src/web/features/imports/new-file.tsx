import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { SampleLink } from '#web/components/sample-link.tsx';
import { fileFault } from './chosen-file.ts';
import { FileChooser } from './file-chooser.tsx';
import styles from './file-step.module.css';
import { importList, isWorking } from './import-query.ts';
import { placeSearch } from './steps.ts';
import { beginUpload } from './upload-state.ts';
import { FILE_MESSAGES, IMPORT_MESSAGES } from './words.ts';

interface Props {
  readonly onBegun: (id: number) => void;
}

/** The choice of a file. Its size is checked before anything is sent. */
export function NewFile({ onBegun }: Props) {
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  async function begin(files: readonly File[]): Promise<void> {
    const refused = fileFault(files);
    setFault(refused);
    const [file] = files;
    if (refused !== null || file === undefined) return;
    setBusy(true);
    const begun = await beginUpload(file);
    setBusy(false);
    if (typeof begun === 'string') setFault(begun);
    else if (begun.ok) onBegun(begun.data);
    else setFault(begun.message);
  }

  return (
    <>
      <h2 className="visually-hidden">{IMPORT_MESSAGES.steps.file}</h2>
      <Unfinished />
      <FileChooser button={FILE_MESSAGES.choose} error={fault} busy={busy} onFiles={(files) => void begin(files)}>
        <SampleLink />
      </FileChooser>
    </>
  );
}

/** The list's newest import, if it is not at its end. */
function Unfinished() {
  const { data } = useQuery({ ...importList({ page: 1, size: 1 }), meta: { quiet: true } });
  const [last] = data?.rows ?? [];
  if (last === undefined || last.state === 'imported' || last.state === 'undone') return null;
  return (
    <p className={styles.unfinished} role="status">
      {FILE_MESSAGES.unfinished(last.name)}
      <Link to={{ search: placeSearch({ id: last.id, step: undefined }) }}>
        {isWorking(last) ? IMPORT_MESSAGES.show : FILE_MESSAGES.resume}
      </Link>
    </p>
  );
}
