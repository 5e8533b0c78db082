import { useQuery } from '@tanstack/react-query';
import { accountRule, useChangeRule } from './account-rule-query.ts';
import styles from './undo-tick.module.css';
import { SENDING_RULE_MESSAGES as messages } from './words.ts';

const OFFERED_SECONDS = 30;

/** Ticked: real sends can be taken back. It shows what is chosen in the settings, too. */
export function UndoTick() {
  // It is offered beside the screen's own thing: without an answer it is not there.
  const { data } = useQuery({ ...accountRule, meta: { quiet: true } });
  const { mutate: change } = useChangeRule();
  if (data === undefined) return null;
  return (
    <label className={`line ${styles.tick}`}>
      <input
        type="checkbox"
        checked={data.undo_seconds > 0}
        onChange={({ target }) => change({ undo_seconds: target.checked ? OFFERED_SECONDS : 0 })}
      />
      {messages.tick(data.undo_seconds || OFFERED_SECONDS)}
    </label>
  );
}
