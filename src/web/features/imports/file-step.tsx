import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Import } from '#contract/imports/imports.ts';
import { fileSize } from '#domain/text/file-size.ts';
import { Button } from '#web/components/button.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { Loading } from '#web/components/state/loading.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import type { Step } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { ApiError } from '#web/lib/api/query-client.ts';
import { Link } from '#web/lib/router/link.tsx';
import { type ImportDraft, useImportDraft } from './columns/column-draft.ts';
import { COLUMN_MESSAGES } from './columns/words.ts';
import styles from './file-step.module.css';
import { type Look, lookOf, type Reading } from './import-query.ts';
import screen from './import-screen.module.css';
import { ReadingFields } from './reading-fields.tsx';
import { StepButtons } from './step-buttons.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { isWorkbook, stopUpload, useUploads } from './upload-state.ts';
import { FILE_MESSAGES, IMPORT_MESSAGES } from './words.ts';

export interface StepProps {
  readonly found: Import;
  readonly onStep: (step: Step) => void;
}

/** Reads the head of the file once it has arrived. A workbook can be read only when it is complete. */
export function useLook(found: Import, reading: Reading, isNeeded = true): UseQueryResult<Look> {
  const hasHead = useUploads((uploads) => (uploads[found.id]?.sent ?? found.uploaded ?? 0) > 0);
  const isWhole = found.state !== 'uploading';
  return useQuery({
    ...lookOf(found.id, reading),
    enabled: isNeeded && hasHead && (isWhole || !isWorkbook(found.name)),
  });
}

/** Refusals because too little of the file has arrived: the request is repeated after the upload. */
const TOO_EARLY = ['not_uploaded', 'not_complete'];

/** Returns the server's reason why a file is no table; null: it is one, or could not be read yet. */
export function faultOf(error: Error | null): string | null {
  if (!(error instanceof ApiError)) return null;
  const { status, code, message } = error.failure;
  return status >= 500 || TOO_EARLY.includes(code) ? null : message;
}

/**
 * Returns whether the file is surely read as the server has detected, so that nobody needs to look at the settings.
 * @returns undefined: not known yet
 */
export function useSureReading(found: Import): boolean | undefined {
  const { draft } = useImportDraft(found.id);
  const { data, error } = useLook(found, draft.reading, found.state === 'uploading' || found.state === 'uploaded');
  if (Object.keys(draft.reading).length > 0 || faultOf(error) !== null) return false;
  return data === undefined ? undefined : data.sure === 1;
}

/** Settings that change which column is which. The others leave the chosen fields where they are. */
const COLUMN_SETTINGS = ['separator', 'sheet'] as const;
const keepsColumns = (before: Reading, after: Reading): boolean =>
  COLUMN_SETTINGS.every((name) => before[name] === after[name]);

/** Shows the upload, and how the file is read. */
export function FileStep({ found, onStep }: StepProps) {
  const { draft, change } = useImportDraft(found.id);
  const look = useLook(found, draft.reading);
  const fault = faultOf(look.error);
  const isDefault = Object.keys(draft.reading).length === 0;
  useEffect(() => {
    if (fault !== null && isDefault) stopUpload(found.id);
  }, [fault, isDefault, found.id]);
  // A file that is surely read as detected leads to its columns: nothing of this step appears before that is known.
  const isWaiting = look.isPending && isDefault;
  // Its first act is then to choose the file again.
  const isLost = useUploads((uploads) => uploads[found.id] === undefined) && found.state === 'uploading';

  return (
    <>
      <div className={`row ${styles.head}`}>
        {found.state === 'uploading' ? null : (
          <span>
            {FILE_MESSAGES.uploaded} {fileSize(found.bytes ?? 0)}
          </span>
        )}
        <Link to={PATHS.newImport}>{IMPORT_MESSAGES.otherFile}</Link>
      </div>
      {found.state === 'uploading' && fault === null ? <UploadPanel found={found} /> : null}
      {look.isEnabled && isWaiting ? <Loading /> : null}
      {look.isEnabled && !isWaiting ? (
        <ReadingCard found={found} look={look} fault={fault} draft={draft} onChange={change} />
      ) : null}
      {isWaiting ? null : (
        <StepButtons>
          <Button
            variant={isLost ? 'default' : 'primary'}
            busy={look.data === undefined || look.isPlaceholderData}
            onClick={() => onStep('columns')}
          >
            {IMPORT_MESSAGES.next}
          </Button>
        </StepButtons>
      )}
    </>
  );
}

interface ReadingProps extends Pick<StepProps, 'found'> {
  readonly look: UseQueryResult<Look>;
  readonly fault: string | null;
  readonly draft: Pick<ImportDraft, 'reading'>;
  readonly onChange: (part: Partial<ImportDraft>) => void;
}

/** Shows the settings of the reading, and the rows that result. */
function ReadingCard({ found, look, fault, draft: { reading }, onChange }: ReadingProps) {
  return (
    <section aria-label={IMPORT_MESSAGES.steps.reading} className={`stack surface ${screen.card}`}>
      <ReadingFields
        look={look.data}
        reading={reading}
        isWorkbook={look.data === undefined ? isWorkbook(found.name) : look.data.sheet !== null}
        onChange={(next) => onChange(keepsColumns(reading, next) ? { reading: next } : { reading: next, columns: {} })}
      />
      {fault === null ? null : (
        <Notice tone="bad" role="alert">
          {fault}
        </Notice>
      )}
      {look.isError && fault === null && found.state !== 'uploading' ? (
        <LoadFailed error={look.error} onRetry={() => void look.refetch()} />
      ) : null}
      {look.isPending ? <Loading /> : null}
      {look.data === undefined ? null : <PreviewTable look={look.data} isOutdated={look.isPlaceholderData} />}
    </section>
  );
}

interface Props {
  readonly look: Look;
  /** The rows for changed settings are loading. */
  readonly isOutdated: boolean;
}

/** Shows the first rows of the file as they are read. */
function PreviewTable({ look: { columns, rows }, isOutdated }: Props) {
  return (
    <div className={`${styles.preview} surface ${screen.table}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it */}
      <section aria-label={FILE_MESSAGES.preview} aria-busy={isOutdated} tabIndex={0}>
        <table>
          <caption>{FILE_MESSAGES.preview}</caption>
          <thead>
            <tr>
              <th scope="col">{FILE_MESSAGES.row}</th>
              {columns.map(({ index, heading }) => (
                <th key={index} scope="col">
                  {heading === '' ? COLUMN_MESSAGES.unnamed(index + 1) : heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ row, cells }) => (
              <tr key={row}>
                <th scope="row">{row}</th>
                {columns.map(({ index }) => (
                  <td key={index}>{cells[index]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
