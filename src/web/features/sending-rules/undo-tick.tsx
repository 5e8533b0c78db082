import { useQuery } from '@tanstack/react-query';
import { SavedMark } from '#web/components/state/saved-mark.tsx';
import { accountRule, useChangeRule } from './account-rule-query.ts';
import { SENDING_RULE_MESSAGES as messages } from './words.ts';

const OFFERED_SECONDS = 30;

/** Shows a box that enables the undo of real sends; it also shows the choice made in the settings. */
export function UndoTick() {
  // The tick is secondary on this screen, so it is hidden if its data cannot be loaded.
  const { data } = useQuery({ ...accountRule, meta: { quiet: true } });
  const { mutate: change, isSuccess } = useChangeRule();
  if (data === undefined) return null;
  return (
    <div className="row">
      <label>
        <input
          type="checkbox"
          checked={data.undo_seconds > 0}
          onChange={({ target }) => change({ undo_seconds: target.checked ? OFFERED_SECONDS : 0 })}
        />
        {messages.tick(data.undo_seconds || OFFERED_SECONDS)}
      </label>
      <SavedMark isSaved={isSuccess} />
    </div>
  );
}
