import IconCircleCheckFilled from '@tabler/icons-react/dist/esm/icons/IconCircleCheckFilled.mjs';
import { Button } from '#web/components/button.tsx';
import { Link } from '#web/lib/router/link.tsx';
import { useSession } from '#web/lib/session/session-store.ts';
import styles from './first-sight.module.css';
import { type FirstSteps, nextStep, openList, STEPS, type Step } from './first-steps-query.ts';
import { InviteLink } from './invite-link.tsx';
import { AddSamples } from './samples/sample-companies.tsx';
import { helpOf, pathOf, StepAct, wordsOf } from './step-act.tsx';
import { FIRST_STEPS_MESSAGES as messages } from './words.ts';

interface Props {
  readonly data: FirstSteps;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Shows all first steps in place of an empty list: what comes next, and the ways past it. */
export default function FirstSight({ data, onFiles }: Props) {
  const name = useSession(({ current_user }) => current_user?.name.trim() ?? '');
  const next = nextStep(data);
  const amount = STEPS.filter((step) => data.steps[step] === 1).length;
  return (
    <section className={`stack-wide ${styles.sight}`} aria-label={messages.title}>
      <div className={`spread ${styles.head}`}>
        <h2 className="sentence">{amount === 0 ? messages.welcomeHelp(name) : messages.title}</h2>
        <span className="note">{messages.progress(amount, STEPS.length)}</span>
      </div>
      <ol className={styles.steps}>
        {STEPS.map((step, place) =>
          step === next ? (
            <li key={step} className={`surface ${styles.next}`}>
              <Name step={step} place={place} state={messages.states.next} />
              <p role="status" className={styles.help}>
                {helpOf(step, data)}
              </p>
              <StepAct step={step} data={data} isFilled onFiles={onFiles} />
            </li>
          ) : (
            <li key={step} data-done={data.steps[step] === 1 || undefined}>
              <Link to={pathOf(step, data)} className={styles.link}>
                <Name step={step} place={place} state={messages.states[data.steps[step] === 1 ? 'done' : 'open']} />
              </Link>
              {data.steps[step] === 1 ? null : (
                <p className={`note only-wide ${styles.help}`}>
                  {step === 'mail_sent' ? messages.lastLaterHelp : wordsOf(step).help}
                </p>
              )}
            </li>
          ),
        )}
      </ol>
      <div className="row">
        <AddSamples />
        <Button variant="quiet" onClick={openList}>
          {messages.openList}
        </Button>
        <InviteLink />
      </div>
    </section>
  );
}

interface NameProps {
  readonly step: Step;
  /** From 0 on. */
  readonly place: number;
  readonly state: string;
}

/** Shows the number and the name of a step; a done one has a check mark. */
const Name = ({ step, place, state }: NameProps) => (
  <span className={`line ${styles.name}`}>
    {state === messages.states.done ? (
      <IconCircleCheckFilled size={24} aria-hidden data-state="good" />
    ) : (
      <span className={styles.number}>{place + 1}</span>
    )}
    <span>{wordsOf(step).title}</span>
    <span className="visually-hidden">{state}</span>
  </span>
);
