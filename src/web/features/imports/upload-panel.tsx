import { useState } from 'react';
import type { Import } from '#contract/imports/imports.ts';
import { fileSize } from '#domain/text/file-size.ts';
import { Button } from '#web/components/button.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { FileChooser } from './file-chooser.tsx';
import styles from './import-screen.module.css';
import { fileFault, resumeUpload, useUploads } from './upload-state.ts';
import { FILE_MESSAGES } from './words.ts';

/** Shows an incomplete upload: its progress, or how to resume it. */
export function UploadPanel({ found }: { readonly found: Import }) {
  const upload = useUploads((uploads) => uploads[found.id]);
  const sent = upload?.sent ?? found.uploaded ?? 0;
  const all = found.bytes ?? 0;
  const share = all === 0 ? 0 : Math.floor((sent / all) * 100);
  const label = FILE_MESSAGES.progress(found.name);
  return (
    <div className={`stack surface ${styles.card}`}>
      <progress aria-label={label} value={sent} max={Math.max(all, 1)} />
      <small>{FILE_MESSAGES.sent(fileSize(sent), fileSize(all), share)}</small>
      {upload === undefined ? <Resume found={found} /> : null}
      {upload?.state === 'cut' ? (
        <Notice
          tone="warning"
          role="alert"
          act={<Button onClick={() => void resumeUpload(found)}>{FILE_MESSAGES.resume}</Button>}
        >
          {upload.message ?? FILE_MESSAGES.cut}
        </Notice>
      ) : null}
    </div>
  );
}

/** Asks for the file again, because a reload has lost it. */
function Resume({ found }: { readonly found: Import }) {
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  async function resume(files: readonly File[]): Promise<void> {
    const [file] = files;
    const refused = files.length > 1 ? fileFault(files) : null;
    if (refused !== null || file === undefined) return setFault(refused);
    setBusy(true);
    setFault(await resumeUpload(found, file));
    setBusy(false);
  }

  return (
    <>
      <p>
        <strong>{FILE_MESSAGES.resumeWith(found.name)}</strong>
        <br />
        {FILE_MESSAGES.resumeHelp}
      </p>
      <FileChooser
        button={FILE_MESSAGES.resumeChoose}
        error={fault}
        busy={busy}
        onFiles={(files) => void resume(files)}
      />
    </>
  );
}
