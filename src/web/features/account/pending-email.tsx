import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import { Button } from '#web/components/button.tsx';
import styles from './account.module.css';
import { ACCOUNT_MESSAGES } from './words.ts';

interface Props {
  readonly address: string;
  /** A mail is being sent. */
  readonly busy: boolean;
  /** The server has no sender for its own mails. */
  readonly lacksSender: boolean;
  readonly onSendAgain: () => void;
}

/** Shows an unconfirmed new address, and what to do about it. */
export function PendingEmail({ address, busy, lacksSender, onSendAgain }: Props) {
  return (
    <div className={styles.pending} role="note">
      <p className={styles.pendingTitle}>{ACCOUNT_MESSAGES.pending(address)}</p>
      {lacksSender ? null : <p>{ACCOUNT_MESSAGES.pendingHelp}</p>}
      <div role="alert">
        {lacksSender ? (
          <details className={styles.setting}>
            <summary>
              {ACCOUNT_MESSAGES.notSent}
              <IconInfoCircle size={16} aria-hidden />
            </summary>
            <p>{ACCOUNT_MESSAGES.notSentHelp}</p>
          </details>
        ) : null}
      </div>
      <Button busy={busy} onClick={onSendAgain}>
        {ACCOUNT_MESSAGES.sendAgain}
      </Button>
    </div>
  );
}
