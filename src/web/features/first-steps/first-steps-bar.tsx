import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import IconChevronUp from '@tabler/icons-react/dist/esm/icons/IconChevronUp.mjs';
import IconCircle from '@tabler/icons-react/dist/esm/icons/IconCircle.mjs';
import IconCircleCheckFilled from '@tabler/icons-react/dist/esm/icons/IconCircleCheckFilled.mjs';
import IconCircleDotFilled from '@tabler/icons-react/dist/esm/icons/IconCircleDotFilled.mjs';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { usesMailCatcher } from '#web/lib/screen/page-settings.ts';
import { toast } from '#web/lib/screen/toast.ts';
import styles from './first-steps-bar.module.css';
import { dismissFirstSteps, type FirstSteps, nextStep, STEPS, type Step } from './first-steps-query.ts';
import { InviteLink } from './invite-link.tsx';
import { helpOf, StepAct, wordsOf } from './step-act.tsx';
import { FIRST_STEPS_MESSAGES as messages } from './words.ts';

/** The modes of the attack list. */
interface Modes {
  /** The names of those that are on. */
  readonly on: readonly string[];
  readonly turnOff: () => void;
}

export interface BarProps {
  readonly data: FirstSteps;
  /** The step that was just completed on this screen. */
  readonly justDone: Step | null;
  /** Whether the attack list is on the screen, where the last step is taken. */
  readonly isAttackTab: boolean;
  readonly isOpen: boolean;
  readonly onFold: () => void;
  readonly onFiles: (files: readonly File[]) => void;
  readonly modes: Modes;
}

/** Whether a confirmation mail was sent, and is the next step. With the catcher a mailbox is. */
const isConfirmationAsked = (data: FirstSteps): boolean =>
  nextStep(data) === 'sender_confirmed' && data.sender?.is_asked === 1 && !usesMailCatcher();

/** Shows the bar of the first day: the progress, and the next step with its button. */
export function FirstStepsBar({ data, justDone, isAttackTab, isOpen, onFold, onFiles, modes }: BarProps) {
  const isFinished = data.steps.mail_sent === 1;
  const next = nextStep(data);
  const isDoneHere = isAttackTab && next === 'mail_sent';
  const isLast = isDoneHere && modes.on.length > 0;
  const isAsked = isConfirmationAsked(data);
  // The requested confirmation mail was sent: show this first.
  const done = isAsked ? null : justDone;
  const amount = STEPS.filter((step) => data.steps[step] === 1).length;
  return (
    <section
      className={styles.bar}
      aria-labelledby="first-steps"
      data-open={isOpen || undefined}
      data-last={isLast || undefined}
    >
      <div className={`line ${styles.head}`}>
        <h2 id="first-steps">{messages.title}</h2>
        <progress value={amount} max={STEPS.length} aria-hidden />
        <span className="note">{messages.progress(amount, STEPS.length)}</span>
      </div>
      {isOpen ? <Marks data={data} next={next} done={justDone} /> : null}
      <p role="status" className={`line ${styles.line}`}>
        {isLast ? <LastSentence on={modes.on} /> : <Said data={data} done={done} isOpen={isOpen || isAsked} />}
      </p>
      {isLast ? (
        <Button className={styles.act ?? ''} onClick={modes.turnOff}>
          {messages.turnOff}
        </Button>
      ) : isDoneHere ? null : (
        <Act data={data} isNext={done !== null} onFiles={onFiles} />
      )}
      {isOpen ? <InviteLink className={styles.invite} /> : null}
      <Tools isFinished={isFinished} isOpen={isOpen} onFold={onFold} />
    </section>
  );
}

interface ActProps extends Pick<BarProps, 'data' | 'onFiles'> {
  /** Whether a completed step is shown before the next one. */
  readonly isNext: boolean;
}

/** Shows the button of the next step, after the last one a link to what it has sent. */
function Act({ data, isNext, onFiles }: ActProps) {
  if (data.steps.mail_sent === 1) {
    return (
      <ButtonLink className={styles.act} to={PATHS.sends}>
        {messages.results}
      </ButtonLink>
    );
  }
  const next = nextStep(data);
  return next && <StepAct step={next} data={data} isNext={isNext} className={styles.act} onFiles={onFiles} />;
}

interface ToolsProps {
  readonly isFinished: boolean;
  readonly isOpen: boolean;
  readonly onFold: () => void;
}

/** Shows the buttons that hide and fold the bar. */
function Tools({ isFinished, isOpen, onFold }: ToolsProps) {
  const client = useQueryClient();
  const dismiss = useMutation({
    mutationFn: () => dismissFirstSteps(client, 1),
    onSuccess: () => isFinished || toast('info', messages.laterDone),
  });
  return (
    <div className={`line ${styles.tools}`}>
      <Button variant="quiet" busy={dismiss.isPending} onClick={() => dismiss.mutate()}>
        {isFinished ? messages.close : messages.later}
      </Button>
      <Button
        variant="quiet"
        aria-expanded={isOpen}
        aria-label={isOpen ? messages.fold : messages.unfold}
        onClick={onFold}
      >
        {isOpen ? <IconChevronUp size={18} aria-hidden /> : <IconChevronDown size={18} aria-hidden />}
      </Button>
    </div>
  );
}

interface MarksProps {
  readonly data: FirstSteps;
  readonly next: Step | null;
  readonly done: Step | null;
}

/** Shows all steps in one line. */
const Marks = ({ data, next, done }: MarksProps) => (
  <ol className={`line ${styles.marks}`}>
    {STEPS.map((step) => {
      const isDone = data.steps[step] === 1;
      const isNext = step === next;
      const Icon = isDone ? IconCircleCheckFilled : isNext ? IconCircleDotFilled : IconCircle;
      const { mark, title } = wordsOf(step);
      const { states } = messages;
      return (
        <li
          key={step}
          className="line"
          data-done={isDone || undefined}
          data-next={isNext || undefined}
          data-fresh={step === done || undefined}
        >
          <Icon size={18} aria-hidden />
          <span>{isNext ? title : mark}</span>
          <span className="visually-hidden">{isDone ? states.done : isNext ? states.next : states.open}</span>
        </li>
      );
    })}
  </ol>
);

interface SaidProps {
  readonly data: FirstSteps;
  readonly done: Step | null;
  readonly isOpen: boolean;
}

/** Says what was completed, or what the next step needs; folded, only the step's name. */
function Said({ data, done, isOpen }: SaidProps) {
  const next = nextStep(data);
  if (done !== null) return <Done step={done} companies={data.companies} />;
  if (next === null) return null;
  return isOpen ? helpOf(next, data) : <strong>{messages.next(wordsOf(next).title)}</strong>;
}

/** Says what was completed on this screen. After the first real mail it plays an animation. */
function Done({ step, companies }: { readonly step: Step; readonly companies: number }) {
  const text = step === 'companies_imported' ? messages.imported(companies) : messages.done[step];
  return (
    <>
      {step === 'mail_sent' ? (
        <svg className={styles.moment} viewBox="0 0 56 32" aria-hidden="true">
          <path d="M2 30c12-5 24-5 36 0M14 31c10-4 18-4 28 0M2 24c8-4 16-5 24-3" />
          <g>
            <rect x="30" y="3" width="23" height="16" rx="3" />
            <polyline points="31,6 41.5,13 52,6" />
          </g>
        </svg>
      ) : (
        <IconCircleCheckFilled size={18} aria-hidden />
      )}
      <strong>{text}</strong>
      {step === 'mail_sent' ? <span className="note">{messages.finishedHelp}</span> : null}
    </>
  );
}

/** Names the modes that keep the mails from the companies. Phones show the step's name above. */
const LastSentence = ({ on }: Pick<Modes, 'on'>) => (
  <>
    <strong className="only-phone">{messages.steps.mail_sent.title}</strong>
    <span>{messages.lastHelp(on)}</span>
  </>
);
