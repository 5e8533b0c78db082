import IconArrowRight from '@tabler/icons-react/dist/esm/icons/IconArrowRight.mjs';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '#web/components/button.tsx';
import { FileButton } from '#web/components/field/file-button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { ATTACK_LIST_PATH, PATHS, templatePath } from '#web/lib/address/paths.ts';
import { useIsHere } from '#web/lib/address/use-address.ts';
import { usesMailCatcher } from '#web/lib/screen/page-settings.ts';
import { isDemo } from '#web/lib/session/session-store.ts';
import { askForConfirmation, type FirstSteps, type Step } from './first-steps-query.ts';
import { FIRST_STEPS_MESSAGES as messages } from './words.ts';

/** Whether a step is that of the mailbox, which confirms its sender too. The demo has none. */
const isMailbox = (step: Step): boolean => step === 'sender_confirmed' && usesMailCatcher() && !isDemo();

/** Returns the texts of a step. */
export const wordsOf = (step: Step): Readonly<Record<'mark' | 'title' | 'help' | 'act', string>> =>
  isMailbox(step) ? messages.mailbox : messages.steps[step];

/** Returns what a step needs. */
export const helpOf = (step: Step, { sender }: FirstSteps): string =>
  step === 'sender_confirmed' && sender?.is_asked === 1 && !isMailbox(step)
    ? messages.askedHelp(sender.email)
    : wordsOf(step).help;

/** Returns the screen of a step. Choosing files and requesting a mail need no other screen. */
export function pathOf(step: Step, { sender }: FirstSteps): string {
  const template = sender === null ? PATHS.templates : templatePath(sender.template_id);
  return {
    legal_profile_ready: PATHS.settingsLegal,
    sender_confirmed: isMailbox(step) ? PATHS.settingsMailboxes : PATHS.settingsGroups,
    companies_imported: PATHS.newImport,
    template_edited: template,
    test_sent: template,
    mail_sent: ATTACK_LIST_PATH,
  }[step];
}

interface Props {
  readonly step: Step;
  readonly data: FirstSteps;
  /** Whether a completed step is shown before it: the button then names the step. */
  readonly isNext?: boolean;
  readonly isFilled?: boolean;
  readonly className?: string | undefined;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Shows the button of a step, except on the step's own screen, which has one itself. */
export function StepAct({ step, data, isNext = false, isFilled = false, className = '', onFiles }: Props) {
  const isHere = useIsHere();
  const { sender } = data;
  const { title, act } = wordsOf(step);
  const path = pathOf(step, data);
  const look = { className, variant: isFilled ? 'primary' : 'default' } as const;
  const word = isNext ? (
    <>
      {messages.next(title)}
      <IconArrowRight size={16} aria-hidden />
    </>
  ) : (
    act
  );
  const link = isHere(path) ? null : (
    <ButtonLink {...look} to={path}>
      {word}
    </ButtonLink>
  );
  if (step === 'sender_confirmed' && sender !== null && !isMailbox(step)) {
    return <ConfirmAct {...look} sender={sender} word={word} />;
  }
  if (link === null || step !== 'companies_imported') return link;
  return (
    <FileButton {...look} onFiles={onFiles}>
      {word}
    </FileButton>
  );
}

interface ConfirmProps {
  readonly sender: NonNullable<FirstSteps['sender']>;
  readonly word: ReactNode;
  readonly variant: 'primary' | 'default';
  readonly className?: string;
}

/** Requests the mail that confirms the sender's address. */
function ConfirmAct({ sender: { id, is_asked }, word, variant, className = '' }: ConfirmProps) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({ mutationFn: () => askForConfirmation(client, id) });
  const look = is_asked === 1 ? { variant: 'quiet' as const } : { variant, className };
  return (
    <Button {...look} busy={isPending} onClick={() => mutate()}>
      {is_asked === 1 ? messages.askAgain : word}
    </Button>
  );
}
