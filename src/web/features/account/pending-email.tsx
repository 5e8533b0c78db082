import { Button } from '#web/components/button.tsx';
import { ACCOUNT_WORDS } from '#web/lib/account-words.ts';
import styles from './account.module.css';

interface Props {
  readonly address: string;
  /** A mail is on its way. */
  readonly busy: boolean;
  readonly onSendAgain: () => void;
}

/** A new address that nobody has confirmed yet, and what to do about it. */
export function PendingEmail({ address, busy, onSendAgain }: Props) {
  return (
    <div className={styles.pending} role="note">
      <p className={styles.pendingTitle}>{ACCOUNT_WORDS.account.pending(address)}</p>
      <p>{ACCOUNT_WORDS.account.pendingHelp}</p>
      <Button busy={busy} onClick={onSendAgain}>
        {ACCOUNT_WORDS.account.sendAgain}
      </Button>
    </div>
  );
}
