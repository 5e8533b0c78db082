import { Button } from '#web/components/button.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Loading } from '#web/components/loading.tsx';
import { Matches } from '#web/components/matches.tsx';
import type { CurrentSender } from '#web/features/senders/use-current-sender.ts';
import { SENDER_MESSAGES } from '#web/features/senders/words.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './attack-list.module.css';

interface Props {
  /** Why there can be no list, with what to do about it; undefined: its group or sender is not loaded. */
  readonly reason: string | undefined;
  readonly senders: CurrentSender;
}

/** Shown in place of a list whose group or sender is missing or not loaded. */
export function NoList({ reason, senders: { retry, reload, groups } }: Props) {
  if (reason === undefined) {
    return (
      <>
        <Matches total={undefined} failed={retry !== undefined} />
        {retry === undefined ? <Loading /> : <LoadFailed onRetry={retry} />}
      </>
    );
  }
  return (
    <div className={styles.nothing}>
      <p>
        <strong>{reason}</strong>
        <br />
        {groups?.length === 0 ? SENDER_MESSAGES.noGroupHelp : SENDER_MESSAGES.noSenderHelp}
      </p>
      <Button onClick={reload}>{COMMON_MESSAGES.actions.retry}</Button>
    </div>
  );
}
