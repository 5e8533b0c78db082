import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { fileSize } from '#domain/text/file-size.ts';
import { Button } from '#web/components/button.tsx';
import { stopJob, useJob } from '#web/lib/api/jobs.ts';
import { downloadFile } from '#web/lib/api/save-file.ts';
import { DETAIL_SEPARATOR } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { listTime } from '#web/lib/screen-time.ts';
import { DeleteExport } from './delete-export.tsx';
import styles from './export.module.css';
import { EXPORT_LIST, type Export, isOpen } from './export-list.ts';
import { EXPORT_MESSAGES } from './words.ts';

interface Props {
  readonly one: Export;
  /** Whether server-sent events update its progress. */
  readonly isFollowed: boolean;
}

/** Shows one export: its content, and its progress, file or error. */
export function ExportRow({ one, isFollowed }: Props) {
  const { what, formats, item } = EXPORT_MESSAGES;
  return (
    <li className="entry">
      <div className={`row ${styles.name}`}>
        <span>{item(what[one.what], formats[one.format])}</span>
        <span className={`note ${styles.time}`}>{listTime(one.created_at)}</span>
      </div>
      {isOpen(one) ? (
        <Progress one={one} isFollowed={isFollowed} />
      ) : one.state === 'done' && one.file !== null ? (
        <File id={one.id} file={one.file} />
      ) : (
        <div className={`spread ${styles.state}`}>
          {one.state === 'cancelled' ? <small>{EXPORT_MESSAGES.cancelled}</small> : <Failed id={one.id} />}
          <DeleteExport id={one.id} name={EXPORT_MESSAGES.exportOf(what[one.what])} hasFile={false} />
        </div>
      )}
    </li>
  );
}

function Progress({ one, isFollowed }: Props) {
  const client = useQueryClient();
  const job = useJob(one.id, isFollowed);
  const [isStopping, setStopping] = useState(false);
  const isOver = job !== undefined && job.finished_at !== null;
  useEffect(() => {
    if (isOver) void client.invalidateQueries({ queryKey: [EXPORT_LIST] });
  }, [client, isOver]);

  async function cancel(): Promise<void> {
    setStopping(true);
    const answer = await stopJob(one.id);
    if (!answer.ok && answer.status !== 401) toast('warning', answer.message);
    await client.invalidateQueries({ queryKey: [EXPORT_LIST] });
    setStopping(false);
  }

  const { preparing, progress, cancel: label, cancelOf, what } = EXPORT_MESSAGES;
  const total = job?.total ?? null;
  return (
    <div className={`spread ${styles.state}`}>
      <div className={styles.progress}>
        <span role="status">{preparing}</span>
        {total === null ? null : <span className={`note ${styles.time}`}>{progress(job?.done ?? 0, total)}</span>}
        <progress
          aria-label={preparing}
          {...(total === null ? {} : { value: job?.done ?? 0, max: Math.max(total, 1) })}
        />
      </div>
      <Button busy={isStopping || isOver} aria-label={cancelOf(what[one.what])} onClick={() => void cancel()}>
        {label}
      </Button>
    </div>
  );
}

function File({ id, file }: { readonly id: number; readonly file: NonNullable<Export['file']> }) {
  const [isLoading, setLoading] = useState(false);
  const { ready, size, replaced, download, downloadOf } = EXPORT_MESSAGES;

  async function load(): Promise<void> {
    setLoading(true);
    const failure = await downloadFile('getExportFile', { params: { id: String(id) } }, file.name);
    setLoading(false);
    if (failure !== null) toast('warning', failure);
  }

  return (
    <div className={`spread ${styles.state}`}>
      <div>
        <span role="status">{ready}</span>
        <span className={`note ${styles.time}`}>{size(file.rows, fileSize(file.bytes))}</span>
        {file.replaced === 0 ? null : <small className={styles.replaced}>{replaced(file.replaced)}</small>}
      </div>
      <span className="row">
        <DeleteExport id={id} name={file.name} hasFile />
        <Button busy={isLoading} aria-label={downloadOf(file.name)} onClick={() => void load()}>
          {download}
        </Button>
      </span>
    </div>
  );
}

function Failed({ id }: { readonly id: number }) {
  const reason = useJob(id, false)?.message ?? null;
  const { failed } = EXPORT_MESSAGES;
  return <p className="fault">{reason === null ? failed : failed + DETAIL_SEPARATOR + reason}</p>;
}
