import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Import, UndoCounts } from '#contract/imports/imports.ts';
import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { ATTACK_LIST_PATH, PATHS } from '#web/lib/address/paths.ts';
import { COMPANY, OWN_FIELD_LIST, TAG_LIST } from '#web/lib/api/query-keys.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import { FIGURE_SEPARATOR, withNote } from '#web/lib/phrases.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { May, useMay } from '#web/lib/session/use-may.ts';
import { canUndo, UndoDialog } from './act-dialogs.tsx';
import { FaultsButton } from './faults-button.tsx';
import styles from './import-screen.module.css';
import { JobProgress } from './job-progress.tsx';
import review from './review.module.css';
import { REVIEW_MESSAGES, RUN_MESSAGES } from './words.ts';

interface Props {
  readonly found: Import;
  /** Shows own columns in the list, and keeps that for the member. */
  readonly onColumns: (own: readonly string[]) => void;
}

const STOP = { label: RUN_MESSAGES.stop, done: RUN_MESSAGES.stopped };

/** Shows the last step: the progress of the import or its undo, then the result. */
export function RunStep({ found, onColumns }: Props) {
  const client = useQueryClient();
  const reload = useCallback(() => {
    reloadLists(client);
    for (const key of [COMPANY, OWN_FIELD_LIST, TAG_LIST]) void client.invalidateQueries({ queryKey: [key] });
  }, [client]);
  const { id, state, job_id: jobId } = found;
  if ((state === 'importing' || state === 'undoing') && jobId !== null) {
    const words = state === 'importing' ? { label: RUN_MESSAGES.running, stop: STOP } : { label: RUN_MESSAGES.undoing };
    return <JobProgress key={jobId} importId={id} jobId={jobId} onEnd={reload} {...words} />;
  }
  return <Result found={found} onColumns={onColumns} />;
}

function Result({ found, onColumns }: Props) {
  const mayImport = useMay('startImport');
  const { counts, undone, own_columns: own = [] } = found;
  const { done, undone: undoneText, show, showColumns, another, attackList } = RUN_MESSAGES;
  if (counts === null) return null;
  const isUndone = found.state === 'undone';
  const { added, updated, people = { added: 0, updated: 0 } } = counts;
  const ofPeople = people.added + people.updated;
  const hasCompanies = added + updated + ofPeople > 0 && !isUndone;
  return (
    <div className={`stack surface ${styles.card}`}>
      <div role="status">
        <EmptyState
          kind="done"
          title={isUndone ? undoneText : done.title(added + updated, ofPeople)}
          help={isUndone ? undefined : <Details counts={counts} />}
        >
          <ButtonLink variant="primary" to={PATHS.attackList}>
            {show}
          </ButtonLink>
          {hasCompanies && own.length > 0 ? (
            <ButtonLink to={PATHS.attackList} onClick={() => onColumns(own)}>
              {showColumns}
            </ButtonLink>
          ) : null}
          {hasCompanies || mayImport ? (
            <ButtonLink variant="quiet" to={hasCompanies ? ATTACK_LIST_PATH : PATHS.newImport}>
              {hasCompanies ? attackList : another}
            </ButtonLink>
          ) : null}
        </EmptyState>
      </div>
      {isUndone && undone !== null ? <UndoResult undone={undone} /> : null}
      <May call="startImport">
        <FurtherActs found={found} counts={counts} hasCompanies={hasCompanies} />
      </May>
    </div>
  );
}

type Counts = NonNullable<Import['counts']>;

/** Shows the figures of an import, and where the people are seen. */
function Details({ counts }: { readonly counts: Counts }) {
  const { done } = RUN_MESSAGES;
  const { added, updated, people } = counts;
  const details = done.details(added, updated, outText(counts));
  if (people === undefined || people.added + people.updated === 0) return details;
  return (
    <>
      {details}
      {done.people(people.added, people.updated)}
      <br />
      {done.peopleHelp}
    </>
  );
}

interface ActsProps extends Pick<Props, 'found'> {
  readonly counts: Counts;
  readonly hasCompanies: boolean;
}

/** Shows what can be done after an import: the next one, the faulty rows as a file, and its undo. */
function FurtherActs({ found, counts, hasCompanies }: ActsProps) {
  const [isAsking, setAsking] = useState(false);
  const { another, undo, undoUntil } = RUN_MESSAGES;
  const { undo_until: until } = found;
  return (
    <div className={`row ${styles.line}`}>
      {hasCompanies ? (
        <ButtonLink variant="quiet" to={PATHS.newImport}>
          {another}
        </ButtonLink>
      ) : null}
      {counts.refused > 0 && found.expires_at !== null ? (
        <FaultsButton id={found.id} name={found.name} label={REVIEW_MESSAGES.download} isQuiet />
      ) : null}
      {canUndo(found) && until !== null ? (
        <>
          <Button variant="quiet" onClick={() => setAsking(true)}>
            {undo}
          </Button>
          <small>{undoUntil(sentenceTime(until))}</small>
        </>
      ) : null}
      {isAsking ? <UndoDialog id={found.id} counts={counts} onClose={() => setAsking(false)} /> : null}
    </div>
  );
}

/** Returns how many rows an import has left out, and why: 11（取り込めない行5・重複6）. */
function outText(counts: Counts): string {
  const names = (Object.keys(RUN_MESSAGES.out) as (keyof typeof RUN_MESSAGES.out)[]).filter((name) => counts[name] > 0);
  const shown = (count: number) => count.toLocaleString('ja-JP');
  const total = shown(names.reduce((sum, name) => sum + counts[name], 0));
  const parts = names.map((name) => RUN_MESSAGES.out[name] + shown(counts[name]));
  return parts.length === 0 ? total : withNote(total, parts.join(FIGURE_SEPARATOR));
}

/** Shows what an undo has done, and what it kept, with the reason. */
function UndoResult({ undone }: { readonly undone: UndoCounts }) {
  const names = Object.keys(RUN_MESSAGES.undoCounts) as (keyof typeof RUN_MESSAGES.undoCounts)[];
  const shown = names.filter((name) => undone[name] > 0 || name === 'removed' || name === 'restored');
  return (
    <dl className={`row surface ${review.counts}`}>
      {shown.map((name) => (
        <div key={name}>
          <dt>{RUN_MESSAGES.undoCounts[name]}</dt>
          <dd>{RUN_MESSAGES.companies(undone[name])}</dd>
        </div>
      ))}
      {undone.people === undefined ? null : (
        <>
          <div>
            <dt>{RUN_MESSAGES.undoPeople.removed}</dt>
            <dd>{RUN_MESSAGES.persons(undone.people.removed)}</dd>
          </div>
          <div>
            <dt>{RUN_MESSAGES.undoPeople.restored}</dt>
            <dd>{RUN_MESSAGES.persons(undone.people.restored)}</dd>
          </div>
        </>
      )}
    </dl>
  );
}
