import { type MAILBOX_STEP_STATES, MAILBOX_STEPS, type MailboxStep } from '#contract/senders/mailboxes-names.ts';

/** What a check has found at one step, with its text for the member. */
export interface StepResult {
  readonly step: MailboxStep;
  /** look: the mailbox can be used, and a member should look at it. */
  readonly state: (typeof MAILBOX_STEP_STATES)[number];
  readonly text: string;
}

/** The most characters of a server's reply that a text repeats. */
const MAX_REPLY = 200;

/** Returns the start of a text with the server's reply at its end. */
export const withReply = (text: string, reply: string): string =>
  reply.trim() === '' ? text : `${text}（サーバーの返事：${[...reply].slice(0, MAX_REPLY).join('')}）`;

const NOT_TRIED = 'まだ確かめていません。';

/** Returns a result for each step, in order: those after a fault were not tried. */
export const allSteps = (found: readonly StepResult[]): StepResult[] =>
  MAILBOX_STEPS.map((step) => found.find((one) => one.step === step) ?? { step, state: 'skipped', text: NOT_TRIED });

export const isUsable = (found: readonly StepResult[]): boolean => found.every(({ state }) => state !== 'bad');
