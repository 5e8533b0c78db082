import { Button } from '#web/components/button.tsx';
import styles from './account.module.css';
import { ACCOUNT_MESSAGES } from './words.ts';

interface Props {
  readonly address: string;
  /** A mail is being sent. */
  readonly busy: boolean;
  readonly onSendAgain: () => void;
}

/** Shows an unconfirmed new address, and what to do about it. */
export function PendingEmail({ address, busy, onSendAgain }: Props) {
  return (
    <div className={styles.pending} role="note">
      <p className={styles.pendingTitle}>{ACCOUNT_MESSAGES.pending(address)}</p>
      <p>{ACCOUNT_MESSAGES.pendingHelp}</p>
      <Button busy={busy} onClick={onSendAgain}>
        {ACCOUNT_MESSAGES.sendAgain}
      </Button>
    </div>
  );
}
