import { useState } from 'react';
import type { ImportReview } from '#contract/imports/imports.ts';
import { Button } from '#web/components/button.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { LIST_SEPARATOR, withNote } from '#web/lib/phrases.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { forgetImportDraft } from './columns/column-draft.ts';
import type { StepProps } from './file-step.tsx';
import { JobProgress } from './job-progress.tsx';
import styles from './review.module.css';
import { ReviewTabs } from './review-tabs.tsx';
import { StepButtons } from './step-buttons.tsx';
import { postCheck, postRun, useAct } from './use-act.ts';
import { IMPORT_MESSAGES, REVIEW_MESSAGES } from './words.ts';

type CountName = keyof typeof REVIEW_MESSAGES.counts;

const STOP = { label: REVIEW_MESSAGES.stop, done: REVIEW_MESSAGES.stopped };

/** Shows the check: what the import would change. */
export function CheckStep({ found, onStep }: StepProps) {
  if (found.state === 'checking' && found.job_id !== null)
    return <JobProgress importId={found.id} jobId={found.job_id} label={REVIEW_MESSAGES.checking} stop={STOP} />;
  if (found.review === null) return null;
  const { id, name, review, remarks_group_name: remarksGroup } = found;
  return <Review id={id} name={name} review={review} remarksGroup={remarksGroup} onStep={onStep} />;
}

interface ReviewProps extends Pick<StepProps, 'onStep'> {
  readonly id: number;
  readonly name: string;
  readonly review: ImportReview;
  /** The group that gets the remarks, as chosen before the check. */
  readonly remarksGroup: string | null;
}

type Mode = keyof typeof REVIEW_MESSAGES.modes;

const MODES = Object.keys(REVIEW_MESSAGES.modes) as Mode[];

/** Counts the people whom the import adds or changes. */
const changedPeople = ({ people }: ReviewProps['review']): number => (people?.added ?? 0) + (people?.updated ?? 0);

function Review({ id, name, review, remarksGroup, onStep }: ReviewProps) {
  const [mode, setMode] = useState<Mode>('leave_out');
  const { busy, fault, setFault, act } = useAct(id);
  const { added, updated, refused, ignored_columns: ignored, new_fields: newFields = [] } = review;
  const people = changedPeople(review);
  const isNothing = added + updated + people === 0;
  const { label, note } = useRunLabel(REVIEW_MESSAGES.run(added + updated, people), remarksGroup);
  const strictFault = mode === 'strict' && refused > 0 ? REVIEW_MESSAGES.strictFault(refused) : null;

  function run(): void {
    // After a check without faults the import must have none either: a new fault refuses it.
    const body = { add_info: { mode: refused === 0 ? ('strict' as const) : mode } };
    void act(postRun(id, body), body, () => {
      forgetImportDraft(id);
      onStep('run');
    });
  }

  function changePhones(): void {
    const phones = review.phones === 'mend' ? ('as_written' as const) : ('mend' as const);
    const body = { add_info: { as_before: 1 as const, phones } };
    void act(postCheck(id, body), body, () => {});
  }

  return (
    <>
      <ReviewCounts review={review} />
      {review.cut_phone === 0 ? null : <CutPhones review={review} busy={busy} onChange={changePhones} />}
      <Listed of={newFields} text={REVIEW_MESSAGES.newFields} />
      <Listed of={ignored} text={REVIEW_MESSAGES.ignored} />
      {refused === 0 ? null : (
        <fieldset className="row">
          <legend>{REVIEW_MESSAGES.mode}</legend>
          {MODES.map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="mode"
                checked={one === mode}
                aria-describedby={strictFault === null ? undefined : 'strict-fault'}
                onChange={() => {
                  setMode(one);
                  setFault(null);
                }}
              />
              {REVIEW_MESSAGES.modes[one]}
            </label>
          ))}
          {strictFault === null ? null : (
            <Notice tone="warning" id="strict-fault" role="alert">
              {strictFault}
            </Notice>
          )}
        </fieldset>
      )}
      <ReviewTabs id={id} name={name} review={review} />
      <StepButtons>
        {fault === null ? null : (
          <Notice tone="bad" role="alert">
            {fault}
          </Notice>
        )}
        {isNothing ? <p>{REVIEW_MESSAGES.nothing}</p> : null}
        {note}
        <Button onClick={() => onStep('columns')}>{IMPORT_MESSAGES.back}</Button>
        {isNothing ? null : (
          <Button variant="primary" busy={busy || strictFault !== null} onClick={run}>
            {label}
          </Button>
        )}
      </StepButtons>
    </>
  );
}

/** Lists names in a sentence; nothing without names. */
const Listed = ({ of, text }: { of: readonly string[]; text: (names: string) => string }) =>
  of.length === 0 ? null : <small>{text(of.join(LIST_SEPARATOR))}</small>;

/** Names the button of the import, and the group of the remarks: phones show it above the button. */
function useRunLabel(label: string, remarksGroup: string | null) {
  const isNarrow = useNarrowScreen();
  if (remarksGroup === null) return { label, note: null };
  const remarks = REVIEW_MESSAGES.remarksOf(remarksGroup);
  return isNarrow
    ? { label, note: <p className="note">{remarks}</p> }
    : { label: withNote(label, remarks), note: null };
}

interface CutPhonesProps extends Pick<ReviewProps, 'review'> {
  readonly busy: boolean;
  readonly onChange: () => void;
}

/** Explains how telephone numbers without their first 0 are read. A button turns the correction off for this file. */
function CutPhones({ review: { cut_phone: count, phones }, busy, onChange }: CutPhonesProps) {
  const { cells, cutPhones, changePhones } = REVIEW_MESSAGES;
  const change = (
    <Button busy={busy} onClick={onChange}>
      {changePhones[phones]}
    </Button>
  );
  return <Notice act={change}>{cutPhones[phones](cells(count))}</Notice>;
}

/** The figures: what the import does, what it leaves out (the first is always shown), and notes. */
const DONE: readonly CountName[] = ['added', 'updated', 'unchanged'];
const OUT: readonly CountName[] = ['refused', 'repeated', 'closed'];
const OTHERS: readonly CountName[] = ['blanked', 'not_taken', 'cut_phone', 'suppressed', 'archived'];

const UNITS: Readonly<Partial<Record<CountName, (value: number) => string>>> = {
  refused: REVIEW_MESSAGES.rows,
  repeated: REVIEW_MESSAGES.rows,
  closed: REVIEW_MESSAGES.rows,
  blanked: REVIEW_MESSAGES.cells,
  not_taken: REVIEW_MESSAGES.cells,
  cut_phone: REVIEW_MESSAGES.cells,
};

/** Shows the number of companies or rows of each kind that a check has found. */
function ReviewCounts({ review }: { readonly review: ImportReview }) {
  const { label, out, tabs, kinds } = REVIEW_MESSAGES;
  const { people } = review;
  const others = OTHERS.filter((name) => review[name] > 0);
  return (
    <section className={`row surface ${styles.counts}`} aria-label={label}>
      <div>
        <strong className="note">{kinds.companies}</strong>
        <Counts names={DONE} review={review} isLead />
      </div>
      {people === undefined ? null : (
        <div>
          <strong className="note">{kinds.people}</strong>
          <PeopleCounts people={people} />
        </div>
      )}
      <div>
        <strong className="note">{out}</strong>
        <Counts names={OUT.filter((name, place) => place < 1 || review[name] > 0)} review={review} />
      </div>
      {others.length === 0 ? null : (
        <div>
          <strong className="note">{tabs.notices}</strong>
          <Counts names={others} review={review} />
        </div>
      )}
    </section>
  );
}

const OF_PEOPLE = ['added', 'updated', 'unchanged'] as const;

function PeopleCounts({ people }: { readonly people: NonNullable<ImportReview['people']> }) {
  const { counts, persons } = REVIEW_MESSAGES;
  return (
    <dl className="row">
      {OF_PEOPLE.map((name) => (
        <div key={name}>
          <dt>{counts[name]}</dt>
          <dd className="sentence" data-none={people[name] === 0 || undefined}>
            {persons(people[name])}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface CountsProps {
  readonly names: readonly CountName[];
  readonly review: ImportReview;
  readonly isLead?: boolean;
}

function Counts({ names, review, isLead = false }: CountsProps) {
  const { counts, companies, noteOf } = REVIEW_MESSAGES;
  return (
    <dl className="row">
      {names.map((name) => {
        const value = (UNITS[name] ?? companies)(review[name]);
        const note = name === 'suppressed' || name === 'archived' ? noteOf[name] : undefined;
        return (
          <div key={name}>
            <dt>{counts[name]}</dt>
            <dd
              className={isLead ? 'sentence' : undefined}
              data-none={review[name] === 0 || undefined}
              data-state={name === 'refused' && review.refused > 0 ? 'bad' : undefined}
            >
              {note === undefined ? value : withNote(value, note)}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
