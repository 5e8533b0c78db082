import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Import } from '#contract/imports/imports.ts';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { importPath, NEW_IMPORT, type Step } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { hasStatus } from '#web/lib/api/query-client.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useMay } from '#web/lib/session/use-may.ts';
import { CheckStep } from './check-step.tsx';
import { forgetImportDraft, type RemarksGroups } from './columns/column-draft.ts';
import { ColumnStep } from './columns/column-step.tsx';
import { FileStep, useSureReading } from './file-step.tsx';
import { IMPORT, importOf } from './import-query.ts';
import styles from './import-screen.module.css';
import { NewFile } from './new-file.tsx';
import { RunStep } from './run-step.tsx';
import { useUploads } from './upload-state.ts';
import { IMPORT_MESSAGES } from './words.ts';

interface Props {
  readonly groups: RemarksGroups;
  /** Shows own columns in the list. */
  readonly onColumns: (own: readonly string[]) => void;
}

/**
 * Imports one file in three steps, or in four where a person should look at how the file is read.
 * The address holds the import and its step.
 */
export function ImportScreen({ groups, onColumns }: Props) {
  const [{ import: id, step }, change] = useAddress(NEW_IMPORT);
  const mayImport = useMay('startImport');
  useDropGuard();
  if (id === undefined && !mayImport) return <NotAllowed />;
  if (id === undefined)
    return (
      <div className="stack-wide">
        <StepList id={undefined} place="file" open={[]} hasReading={false} />
        <NewFile onBegun={(begun) => change({ import: begun, step: undefined })} />
      </div>
    );
  const place = { id, asked: step, onStep: (next: Step) => change({ step: next }, { push: true }) };
  return <OpenImport key={id} {...place} groups={groups} onColumns={onColumns} />;
}

interface OpenProps extends Props {
  readonly id: number;
  readonly asked: Step | undefined;
  readonly onStep: (step: Step) => void;
}

function OpenImport({ id, ...parts }: OpenProps) {
  const { data: found, error, refetch } = useQuery(importOf(id));
  useReloadAfterUpload(id, found);
  if (hasStatus(error, 404)) return <Gone id={id} title={IMPORT_MESSAGES.notFound} />;
  if (found === undefined) return <NotLoaded error={error} onRetry={() => void refetch()} />;
  if (isExpired(found)) return <Gone id={id} title={IMPORT_MESSAGES.expired} />;
  return <FoundImport found={found} {...parts} />;
}

interface FoundProps extends Omit<OpenProps, 'id'> {
  readonly found: Import;
}

function FoundImport({ found, asked, groups, onColumns, onStep }: FoundProps) {
  const isSure = useSureReading(found);
  const step = shownStep(found, asked, isSure === true);
  const mayImport = useMay('startImport');
  // Who asks for the settings of a file that is surely read sees them as a step too.
  const hasReading = isSure === false || (isSure === true && step === 'file');
  const place = placeOf(step, hasReading);
  // An undo shows another result in the same step.
  const heading = useFocusOn(found.state === 'undoing' || found.state === 'undone' ? 'undo' : step);
  const parts = { found, onStep };
  // The steps before the last one are acts.
  if (step !== 'run' && !mayImport) return <NotAllowed />;
  return (
    <div className="stack-wide">
      <StepList id={found.id} place={place} open={openSteps(found)} hasReading={hasReading} />
      <h2 ref={heading} tabIndex={-1} className={`row ${styles.heading}`}>
        <span className="visually-hidden">{IMPORT_MESSAGES.steps[place === 'result' ? step : place]}</span>
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
      {step === 'run' ? <RunStep found={found} onColumns={onColumns} /> : null}
    </div>
  );
}

/** Shown to a member who may only look at what was imported. */
const NotAllowed = () => (
  <EmptyState kind="not-allowed" title={IMPORT_MESSAGES.notAllowed} help={IMPORT_MESSAGES.notAllowedHelp}>
    <ButtonLink to={PATHS.imports}>{IMPORT_MESSAGES.history}</ButtonLink>
  </EmptyState>
);

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
function shownStep(found: Pick<Import, 'state' | 'message'>, asked: Step | undefined, isSure: boolean): Step {
  const open = openSteps(found);
  if (asked !== undefined && open.includes(asked)) return asked;
  if (found.state === 'uploading') return isSure ? 'columns' : 'file';
  // After a failed check, show the step that may be wrong.
  if (found.state === 'uploaded') return isSure || found.message !== null || asked === 'check' ? 'columns' : 'file';
  return open.at(-1) ?? 'file';
}

/** The steps that a person sees. `reading` is left out where the file is surely read as detected. */
const PLACES = ['file', 'reading', 'columns', 'result'] as const;
type Place = (typeof PLACES)[number];

function placeOf(step: Step, hasReading: boolean): Place {
  if (step === 'file') return hasReading ? 'reading' : 'file';
  return step === 'columns' ? step : 'result';
}

interface StepListProps {
  readonly id: number | undefined;
  readonly place: Place;
  /** The steps that the import can show. */
  readonly open: readonly Step[];
  readonly hasReading: boolean;
}

/** Shows the steps by number. Those that the import can show are links; that of the file leads to another file. */
function StepList({ id, place, open, hasReading }: StepListProps) {
  const { steps } = IMPORT_MESSAGES;
  const places = PLACES.filter((one) => one !== 'reading' || hasReading);
  const stepLink = (step: Step) => (open.includes(step) ? importPath(id, step) : undefined);
  const links: Readonly<Record<Place, string | undefined>> = {
    file: open.includes('file') ? PATHS.newImport : undefined,
    reading: stepLink('file'),
    columns: stepLink('columns'),
    result: stepLink('check'),
  };
  return (
    <nav aria-label={steps.label}>
      <ol className={`row ${styles.steps}`}>
        {places.map((one, at) => {
          const isDone = at < places.indexOf(place);
          const to = one === place ? undefined : links[one];
          return (
            <li key={one} aria-current={one === place ? 'step' : undefined} data-done={isDone || undefined}>
              <span className={styles.number} aria-hidden>
                {isDone ? <IconCheck size={16} /> : at + 1}
              </span>
              {to === undefined ? <span>{steps[one]}</span> : <Link to={to}>{steps[one]}</Link>}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
