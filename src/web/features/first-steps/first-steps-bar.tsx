import IconArrowRight from '@tabler/icons-react/dist/esm/icons/IconArrowRight.mjs';
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import IconChevronUp from '@tabler/icons-react/dist/esm/icons/IconChevronUp.mjs';
import IconCircle from '@tabler/icons-react/dist/esm/icons/IconCircle.mjs';
import IconCircleCheckFilled from '@tabler/icons-react/dist/esm/icons/IconCircleCheckFilled.mjs';
import IconCircleDotFilled from '@tabler/icons-react/dist/esm/icons/IconCircleDotFilled.mjs';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '#web/components/button.tsx';
import { FileButton } from '#web/components/field/file-button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { ATTACK_LIST_PATH, PATHS, templatePath } from '#web/lib/address/paths.ts';
import { useIsHere } from '#web/lib/address/use-address.ts';
import { toast } from '#web/lib/screen/toast.ts';
import styles from './first-steps-bar.module.css';
import { askForConfirmation, dismissFirstSteps, type FirstSteps, STEPS, type Step } from './first-steps-query.ts';
import { FIRST_STEPS_MESSAGES as messages } from './words.ts';

interface Props {
  readonly data: FirstSteps;
  /** The step that was just completed on this screen. */
  readonly justDone: Step | null;
  readonly isOpen: boolean;
  readonly onFold: () => void;
  readonly onFiles: (files: readonly File[]) => void;
  /** Settings that can be changed before the first real mail. */
  readonly lastChoice: ReactNode;
}

/** Shows the bar of the first day: the progress, and the next step with its button. */
export function FirstStepsBar({ data, justDone, isOpen, onFold, onFiles, lastChoice }: Props) {
  const client = useQueryClient();
  const isFinished = data.steps.mail_sent === 1;
  const dismiss = useMutation({
    mutationFn: () => dismissFirstSteps(client, 1),
    onSuccess: () => isFinished || toast('info', messages.laterDone),
  });
  const next = STEPS.find((step) => data.steps[step] === 0) ?? null;
  // The requested confirmation mail was sent: show this first.
  const done = next === 'sender_confirmed' && data.sender?.is_asked === 1 ? null : justDone;
  const sentence = next && <Sentence step={next} data={data} isOpen={isOpen} />;
  const amount = STEPS.filter((step) => data.steps[step] === 1).length;
  return (
    <section className={styles.bar} aria-labelledby="first-steps" data-open={isOpen || undefined}>
      <div className={`line ${styles.head}`}>
        <h2 id="first-steps">{messages.title}</h2>
        <progress value={amount} max={STEPS.length} aria-hidden />
        <span className="note">{messages.progress(amount, STEPS.length)}</span>
      </div>
      {isOpen ? <Marks data={data} next={next} done={justDone} /> : null}
      <p role="status" className={`line ${styles.line}`}>
        {done === null ? sentence : <Done step={done} companies={data.companies} />}
      </p>
      {next === 'mail_sent' ? <div className={styles.choice}>{lastChoice}</div> : null}
      {isFinished ? (
        <ButtonLink className={styles.act} to={PATHS.sends}>
          {messages.results}
        </ButtonLink>
      ) : (
        next !== null && <Act step={next} data={data} isNext={done !== null} onFiles={onFiles} />
      )}
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
    </section>
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
      const { mark, title } = messages.steps[step];
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

interface StepProps {
  readonly step: Step;
  readonly data: FirstSteps;
}

/** Shows what the next step needs; folded, only its name. */
function Sentence({ step, data: { sender }, isOpen }: StepProps & { readonly isOpen: boolean }): ReactNode {
  const isAsked = step === 'sender_confirmed' && sender?.is_asked === 1;
  if (isAsked) return messages.askedHelp(sender.email);
  return isOpen ? messages.steps[step].help : <strong>{messages.next(messages.steps[step].title)}</strong>;
}

/** Returns the screen of a step. Choosing files and requesting a mail need no other screen. */
function pathOf(step: Step, { sender }: FirstSteps): string {
  const template = sender === null ? PATHS.templates : templatePath(sender.template_id);
  return {
    legal_profile_ready: PATHS.settingsLegal,
    sender_confirmed: PATHS.settingsGroups,
    companies_imported: PATHS.newImport,
    template_edited: template,
    test_sent: template,
    mail_sent: ATTACK_LIST_PATH,
  }[step];
}

interface ActProps extends StepProps {
  /** Whether a completed step is shown before it. */
  readonly isNext: boolean;
  readonly onFiles: Props['onFiles'];
}

/** Shows the button of the next step, except on the step's own screen, which has one itself. */
function Act({ step, data, isNext, onFiles }: ActProps) {
  const client = useQueryClient();
  const isHere = useIsHere();
  const ask = useMutation({ mutationFn: (senderId: number) => askForConfirmation(client, senderId) });
  const { sender } = data;
  const { title, act } = messages.steps[step];
  const isAsked = sender?.is_asked === 1;
  const path = pathOf(step, data);
  const word = isNext ? (
    <>
      {messages.next(title)}
      <IconArrowRight size={16} aria-hidden />
    </>
  ) : (
    act
  );
  if (step === 'sender_confirmed' && sender !== null) {
    return (
      <Button
        className={isAsked ? '' : (styles.act ?? '')}
        variant={isAsked ? 'quiet' : 'default'}
        busy={ask.isPending}
        onClick={() => ask.mutate(sender.id)}
      >
        {isAsked ? messages.askAgain : word}
      </Button>
    );
  }
  if (isHere(path)) return null;
  if (step === 'companies_imported') {
    return (
      <FileButton className={styles.act ?? ''} onFiles={onFiles}>
        {word}
      </FileButton>
    );
  }
  return (
    <ButtonLink className={styles.act ?? ''} to={path}>
      {word}
    </ButtonLink>
  );
}
