import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import {
  causeText,
  FAILURE_CAUSE_TEXTS,
  type FailureCause,
  type NextStep,
} from '#domain/sending/failure-cause-names.ts';
import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/button-link.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { withWeekday } from '#web/lib/with-weekday.ts';
import { type Action, deactivateCompany } from './actions.ts';
import styles from './send-history.module.css';
import type { Mail } from './view-deliveries.ts';
import { CAUSE_MESSAGES as messages } from './words.ts';

interface Props {
  readonly mail: Mail;
  readonly cause: FailureCause;
  readonly onMend: () => void;
  readonly onAsk: (action: Action) => void;
}

/** The causes that count against our domain, and pause a run when they repeat (bounce-class.ts). */
const POLICY_CAUSES: readonly FailureCause[] = ['spam', 'authentication', 'sender_refused', 'limit'];

/** Says why a mail did not arrive, what happens next, and what a member can do. */
export function FailedMail({ mail, cause, onMend, onAsk }: Props) {
  const { smtp_reply, next_try_at } = mail;
  const { advice } = FAILURE_CAUSE_TEXTS[cause];
  const steps = stepsOf(mail, cause);
  return (
    <div className={styles.cause}>
      <p className={styles.causeName}>
        <IconAlertTriangle size={16} aria-hidden />
        {asMessage(causeText(cause, smtp_reply))}
      </p>
      <p className={styles.advice}>{next_try_at === null ? advice : messages.nextTry(withWeekday(next_try_at))}</p>
      {mail.run_paused_by === 'policy_bounces' && POLICY_CAUSES.includes(cause) ? (
        <p className={styles.advice}>{messages.runPausedHelp}</p>
      ) : null}
      {smtp_reply === null ? null : (
        <details className={styles.raw}>
          <summary>{messages.showReply}</summary>
          <p>{smtp_reply}</p>
        </details>
      )}
      {steps.length === 0 ? null : (
        <div className={styles.buttons}>
          {steps.includes('mend') ? <Button onClick={onMend}>{messages.mend.button}</Button> : null}
          {steps.includes('deactivate') ? (
            <Button onClick={() => onAsk(deactivateCompany(mail))}>{messages.deactivate.button}</Button>
          ) : null}
          {steps.includes('domain') ? <ButtonLink to={PATHS.settingsDomains}>{messages.domains}</ButtonLink> : null}
        </div>
      )}
    </div>
  );
}

/** Only a real mail that has failed for good, to an address that we still know, can be mended. */
function stepsOf({ state, test_send_mode, mail_to, archived }: Mail, cause: FailureCause): readonly NextStep[] {
  if (state !== 'failed') return [];
  const canMend = test_send_mode === 0 && mail_to !== null && !archived;
  return FAILURE_CAUSE_TEXTS[cause].steps.filter((step) => canMend || step === 'domain');
}
