import type { ReactNode } from 'react';
import {
  causeText,
  FAILURE_CAUSE_TEXTS,
  type FailureCause,
  type NextStep,
} from '#domain/sending/failure-cause-names.ts';
import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { call } from '#web/lib/api/call.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import type { Action } from '../actions.ts';
import type { Mail } from '../deliveries/view-deliveries.ts';
import styles from '../send-history.module.css';
import { CAUSE_MESSAGES as messages } from './words.ts';

interface Props {
  readonly mail: Mail;
  readonly cause: FailureCause;
  /** Says how Kaitaku reacted to the failure. */
  readonly suppression: ReactNode;
}

/** Causes that count against the sender's domain, and pause a run when they repeat (bounce-class.ts). */
const POLICY_CAUSES: readonly FailureCause[] = ['spam', 'authentication', 'sender_refused', 'limit'];

/** Says why a mail was not delivered, and how Kaitaku reacted. This is the only message about the failure. */
export function FailedMail({ mail, cause, suppression }: Props) {
  const { state, smtp_reply, next_try_at } = mail;
  const { advice } = FAILURE_CAUSE_TEXTS[cause];
  return (
    <div className={styles.parts}>
      <Notice tone={state === 'failed' ? 'bad' : 'warning'}>
        <p>
          <strong>{asMessage(causeText(cause, smtp_reply))}</strong>
        </p>
        <p>{next_try_at === null ? advice : messages.nextTry(sentenceTime(next_try_at))}</p>
        {mail.run_paused_by === 'policy_bounces' && POLICY_CAUSES.includes(cause) ? (
          <p>{messages.runPausedHelp}</p>
        ) : null}
        {smtp_reply === null ? null : (
          <details>
            <summary>{messages.showReply}</summary>
            {smtp_reply}
          </details>
        )}
        {suppression}
      </Notice>
    </div>
  );
}

interface ActsProps extends Pick<Props, 'mail'> {
  /** null: the mail has not failed. */
  readonly cause: FailureCause | null;
  /** The button that lifts the suppression; false: none. */
  readonly lift: ReactNode;
  /** Asks before the company is deactivated; undefined: not permitted. */
  readonly onAsk: ((action: Action) => void) | undefined;
}

/** Leads to the DNS records of the sender's domain, if these are the cause; else null. */
export const domainAct = (mail: Mail, cause: FailureCause | null): ReactNode =>
  cause !== null && stepsOf(mail, cause).includes('domain') ? (
    <ButtonLink to={PATHS.settingsDomains} variant="primary">
      {messages.domains}
    </ButtonLink>
  ) : null;

/** Returns the buttons of the actions besides another address, and besides the domain's records. */
export function failedMailActs({ mail, cause, lift, onAsk }: ActsProps): readonly ReactNode[] {
  if (cause === null) return [];
  const steps = stepsOf(mail, cause);
  return [
    lift,
    onAsk !== undefined && steps.includes('deactivate') && (
      <Button key="deactivate" onClick={() => onAsk(deactivateCompany(mail))}>
        {messages.deactivate.button}
      </Button>
    ),
  ].filter(Boolean);
}

/** Returns the actions: only for a real mail that has finally failed, and whose address is still stored. */
export function stepsOf({ state, test_send_mode, mail_to, archived }: Mail, cause: FailureCause): readonly NextStep[] {
  if (state !== 'failed') return [];
  const canMend = test_send_mode === 0 && mail_to !== null && !archived;
  return FAILURE_CAUSE_TEXTS[cause].steps.filter((step) => canMend || step === 'domain');
}

const { deactivate } = messages;

/** Deactivates the company of a mail in the mail's group. */
const deactivateCompany = ({ prospect_id, sender_group_id, company_name }: Mail): Action => ({
  ...deactivate,
  question: deactivate.question(company_name),
  perform: async () => {
    const body = {
      add_info: { prospect_id, sender_group_id, active: 0 as const },
      duplicate_key_update_info: { active: 0 as const },
    };
    const answer = await call('saveActiveProspect', { body });
    if (!answer.ok) return answer;
    toast('success', deactivate.done(company_name));
    return null;
  },
});
