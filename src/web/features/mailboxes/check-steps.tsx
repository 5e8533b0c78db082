import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import IconCircleX from '@tabler/icons-react/dist/esm/icons/IconCircleX.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import IconMinus from '@tabler/icons-react/dist/esm/icons/IconMinus.mjs';
import { MAILBOX_STEPS } from '#contract/senders/mailboxes-names.ts';
import type { Checked } from './mailbox-calls.ts';
import styles from './mailboxes.module.css';
import { MAILBOX_CHECK_MESSAGES as messages } from './words.ts';

const ICONS = {
  waiting: { Icon: IconClock, state: undefined },
  ok: { Icon: IconCircleCheck, state: 'good' },
  look: { Icon: IconAlertTriangle, state: 'look' },
  bad: { Icon: IconCircleX, state: 'bad' },
  skipped: { Icon: IconMinus, state: undefined },
} as const;

/** Shows the steps of a check with what they have found. @param checked undefined: it is running */
export function CheckSteps({ checked }: { readonly checked: Checked | undefined }) {
  return (
    <div className="stack-tight" role="status" aria-busy={checked === undefined || undefined}>
      {checked === undefined ? <p className="note">{messages.waitingHelp}</p> : null}
      <ol className={styles.steps} aria-label={messages.list}>
        {MAILBOX_STEPS.map((step) => {
          const found = checked?.steps.find((one) => one.step === step);
          const state = found?.state ?? (checked === undefined ? 'waiting' : 'skipped');
          const { Icon, state: tone } = ICONS[state];
          return (
            <li key={step} data-state={state}>
              <Icon size={18} aria-hidden data-state={tone} />
              <span>
                {messages.steps[step]}
                {state === 'waiting' ? null : <span className="visually-hidden"> {messages.states[state]}</span>}
              </span>
              <span className={`note ${styles.found}`}>{state === 'waiting' ? messages.waiting : found?.text}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
