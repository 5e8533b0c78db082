import IconArrowRight from '@tabler/icons-react/dist/esm/icons/IconArrowRight.mjs';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '#web/components/button.tsx';
import { FileButton } from '#web/components/field/file-button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { ATTACK_LIST_PATH, PATHS, templatePath } from '#web/lib/address/paths.ts';
import { useIsHere } from '#web/lib/address/use-address.ts';
import { askForConfirmation, type FirstSteps, type Step } from './first-steps-query.ts';
import { FIRST_STEPS_MESSAGES as messages } from './words.ts';

/** Returns what a step needs. */
export const helpOf = (step: Step, { sender }: FirstSteps): string =>
  step === 'sender_confirmed' && sender?.is_asked === 1 ? messages.askedHelp(sender.email) : messages.steps[step].help;

/** Returns the screen of a step. Choosing files and requesting a mail need no other screen. */
export function pathOf(step: Step, { sender }: FirstSteps): string {
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
  const client = useQueryClient();
  const isHere = useIsHere();
  const ask = useMutation({ mutationFn: (senderId: number) => askForConfirmation(client, senderId) });
  const { sender } = data;
  const { title, act } = messages.steps[step];
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
  if (step === 'sender_confirmed' && sender !== null) {
    const isAsked = sender.is_asked === 1;
    return (
      <Button {...(isAsked ? { variant: 'quiet' } : look)} busy={ask.isPending} onClick={() => ask.mutate(sender.id)}>
        {isAsked ? messages.askAgain : word}
      </Button>
    );
  }
  if (isHere(path)) return null;
  if (step === 'companies_imported') {
    return (
      <FileButton {...look} onFiles={onFiles}>
        {word}
      </FileButton>
    );
  }
  return (
    <ButtonLink {...look} to={path}>
      {word}
    </ButtonLink>
  );
}
