import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Import } from '#contract/companies/imports.ts';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { importPath, NEW_IMPORT, STEPS, type Step } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { hasStatus } from '#web/lib/api/query-client.ts';
import { Link } from '#web/lib/router/link.tsx';
import { CheckStep } from './check-step.tsx';
import { forgetImportDraft, type RemarksGroups } from './column-draft.ts';
import { ColumnStep } from './column-step.tsx';
import { FileStep } from './file-step.tsx';
import { IMPORT, importOf } from './import-query.ts';
import styles from './import-screen.module.css';
import { NewFile } from './new-file.tsx';
import { RunStep } from './run-step.tsx';
import { useUploads } from './upload-state.ts';
import { IMPORT_MESSAGES } from './words.ts';

interface Props {
  readonly groups: RemarksGroups;
}

/** Imports one file in four steps. The address holds the import and its step. */
export function ImportScreen({ groups }: Props) {
  const [{ import: id, step }, change] = useAddress(NEW_IMPORT);
  useDropGuard();
  if (id === undefined)
    return (
      <div className="stack-wide">
        <StepList id={undefined} step="file" open={[]} />
        <NewFile onBegun={(begun) => change({ import: begun, step: undefined })} />
      </div>
    );
  const place = { id, asked: step, onStep: (next: Step) => change({ step: next }, { push: true }) };
  return <OpenImport key={id} {...place} groups={groups} />;
}

interface OpenProps extends Props {
  readonly id: number;
  readonly asked: Step | undefined;
  readonly onStep: (step: Step) => void;
}

function OpenImport({ id, asked, groups, onStep }: OpenProps) {
  const { data: found, error, refetch } = useQuery(importOf(id));
  useReloadAfterUpload(id, found);
  const step = found === undefined ? 'file' : shownStep(found, asked);
  // An undo shows another result in the same step.
  const heading = useFocusOn(found?.state === 'undoing' || found?.state === 'undone' ? 'undo' : step);
  if (hasStatus(error, 404)) return <Gone id={id} title={IMPORT_MESSAGES.notFound} />;
  if (found === undefined) return <NotLoaded hasFailed={error !== null} onRetry={() => void refetch()} />;
  if (isExpired(found)) return <Gone id={id} title={IMPORT_MESSAGES.expired} />;
  const parts = { found, onStep };
  return (
    <div className="stack-wide">
      <StepList id={id} step={step} open={openSteps(found)} />
      <h2 ref={heading} tabIndex={-1} className={`row ${styles.heading}`}>
        <span className="visually-hidden">{IMPORT_MESSAGES.steps[step]}</span>
        <bdi>{found.name}</bdi>
      </h2>
      {found.message === null ? null : (
        <Notice tone="warning" role="alert">
          {IMPORT_MESSAGES.failed(found.message)}
        </Notice>
      )}
      {step === 'file' ? <FileStep {...parts} /> : null}
      {step === 'columns' ? <ColumnStep {...parts} groups={groups} /> : null}
      {step === 'check' ? <CheckStep {...parts} /> : null}
      {step === 'run' ? <RunStep found={found} /> : null}
    </div>
  );
}

/** Whether the file was deleted before its import. */
const isExpired = ({ state, uploaded }: Import): boolean =>
  uploaded === null && (state === 'uploading' || state === 'uploaded' || state === 'checked');

function Gone({ id, title }: { readonly id: number; readonly title: string }) {
  useEffect(() => forgetImportDraft(id), [id]);
  return (
    <EmptyState kind="failed" title={title} help={IMPORT_MESSAGES.notFoundHelp}>
      <ButtonLink variant="primary" to={PATHS.newImport}>
        {IMPORT_MESSAGES.otherFile}
      </ButtonLink>
    </EmptyState>
  );
}

/**
 * Reloads the import and its first rows when its upload has ended, or was interrupted and the file may be gone.
 * A request from before the end may be answered after it, because the library does not cancel a first request.
 */
function useReloadAfterUpload(id: number, found: Import | undefined): void {
  const client = useQueryClient();
  const upload = useUploads((uploads) => uploads[id]?.state);
  const end = found?.state === 'uploading' && upload !== 'running' ? upload : undefined;
  useEffect(() => {
    if (end !== undefined) void client.invalidateQueries({ queryKey: [IMPORT, id], exact: end === 'cut' });
  }, [client, id, end]);
}

/** Prevents the browser from opening a dropped file, also in steps that take no file. */
function useDropGuard(): void {
  useEffect(() => {
    const keepPage = (event: DragEvent): void => event.preventDefault();
    addEventListener('dragover', keepPage);
    addEventListener('drop', keepPage);
    return () => {
      removeEventListener('dragover', keepPage);
      removeEventListener('drop', keepPage);
    };
  }, []);
}

/** Moves the focus to the heading when another part is shown. */
function useFocusOn(part: Step | 'undo') {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef<Step | 'undo' | null>(null);
  useEffect(() => {
    if (heading.current === null) return;
    if (shown.current !== null && shown.current !== part) heading.current.focus();
    shown.current = part;
  });
  return heading;
}

const OPEN: Readonly<Record<Import['state'], readonly Step[]>> = {
  uploading: ['file', 'columns'],
  uploaded: ['file', 'columns'],
  checking: ['check'],
  checked: ['file', 'columns', 'check'],
  importing: ['run'],
  imported: ['run'],
  undoing: ['run'],
  undone: ['run'],
};

/** Returns the steps that an import can show in its state. */
const openSteps = ({ state }: Pick<Import, 'state'>): readonly Step[] => OPEN[state];

/** Returns the step to show: that of the address if it is open, otherwise that of the import's state. */
function shownStep(found: Pick<Import, 'state' | 'message'>, asked: Step | undefined): Step {
  const open = openSteps(found);
  if (asked !== undefined && open.includes(asked)) return asked;
  if (found.state === 'uploading') return 'file';
  // After a failed check, show the step that may be wrong.
  if (found.state === 'uploaded') return found.message === null && asked !== 'check' ? 'file' : 'columns';
  return open.at(-1) ?? 'file';
}

interface StepListProps {
  readonly id: number | undefined;
  readonly step: Step;
  /** The steps that the import can show. */
  readonly open: readonly Step[];
}

/** Shows the four steps. Those that the import can show are links. */
function StepList({ id, step, open }: StepListProps) {
  const { steps } = IMPORT_MESSAGES;
  return (
    <nav aria-label={steps.label}>
      <ol className={`row ${styles.steps}`}>
        {STEPS.map((one, place) => (
          <li
            key={one}
            aria-current={one === step ? 'step' : undefined}
            data-done={place < STEPS.indexOf(step) || undefined}
          >
            <span className={styles.number} aria-hidden>
              {place < STEPS.indexOf(step) ? <IconCheck size={16} /> : place + 1}
            </span>
            {one !== step && open.includes(one) ? (
              <Link to={importPath(id, one)}>{steps[one]}</Link>
            ) : (
              <span>{steps[one]}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
