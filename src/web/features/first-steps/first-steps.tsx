import IconCircle from '@tabler/icons-react/dist/esm/icons/IconCircle.mjs';
import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/button-link.tsx';
import { toast } from '#web/lib/toast.ts';
import styles from './first-steps.module.css';
import { dismissFirstSteps, firstSteps } from './first-steps-query.ts';
import { FIRST_STEPS_MESSAGES as messages } from './words.ts';

type Step = keyof typeof messages.steps;

const STEPS = Object.keys(messages.steps) as Step[];
/** The last step follows from the others. */
const PREPARING = STEPS.filter((step) => step !== 'mail_sent');

const UNCONFIRMED_EVERY_MS = 10_000;

function stateText(isDone: (step: Step) => boolean): string | null {
  if (isDone('mail_sent')) return messages.finished;
  return PREPARING.every(isDone) ? messages.readyHelp : null;
}

interface Props {
  /** The screen that does a step. */
  readonly pathOf: Readonly<Record<Step, string>>;
}

/** The card of the first day: what is left to do before the first mail, and where. */
export function FirstStepsCard({ pathOf }: Props) {
  const client = useQueryClient();
  const { data } = useQuery({
    ...firstSteps,
    // The link that confirms an address is opened in another tab, or on a phone.
    refetchInterval: ({ state }) =>
      state.data?.dismissed === 0 && state.data.steps.sender_confirmed === 0 ? UNCONFIRMED_EVERY_MS : false,
  });
  const dismiss = useMutation({
    mutationFn: () => dismissFirstSteps(client, 1),
    onSuccess: () => data?.steps.mail_sent === 1 || toast('info', messages.laterDone),
  });
  if (data === undefined || data.dismissed === 1) return null;
  const isDone = (step: Step) => data.steps[step] === 1;
  const done = STEPS.filter(isDone);
  const isFinished = isDone('mail_sent');
  return (
    <section className={styles.card} aria-labelledby="first-steps">
      <div className={styles.head}>
        <h2 id="first-steps">{messages.title}</h2>
        <span className={styles.progress}>{messages.progress(done.length, STEPS.length)}</span>
        <p className={styles.state}>{stateText(isDone)}</p>
        <Button variant="quiet" busy={dismiss.isPending} onClick={() => dismiss.mutate()}>
          {isFinished ? messages.close : messages.later}
        </Button>
      </div>
      <ol className={styles.steps}>
        {STEPS.map((step) => {
          const { title, act } = messages.steps[step];
          return (
            <li key={step} data-done={isDone(step) || undefined}>
              {isDone(step) ? <IconCircleCheck size={18} aria-hidden /> : <IconCircle size={18} aria-hidden />}
              <span className={styles.title}>
                {title}
                <span className="visually-hidden">{isDone(step) ? messages.done : messages.open}</span>
              </span>
              {isDone(step) ? null : <ButtonLink to={pathOf[step]}>{act}</ButtonLink>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
