import { useQuery } from '@tanstack/react-query';
import { UNDO_SECONDS } from '#domain/limits.ts';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import { Panel } from '#web/components/panel.tsx';
import { SelectField } from '#web/components/select-field.tsx';
import { accountRule, useChangeRule } from './account-rule-query.ts';
import { SENDING_RULE_MESSAGES as messages } from './words.ts';

/** Chooses the rules of the account's sending. Each choice is stored at once. */
export function SendingRules() {
  const { data, isError, refetch } = useQuery(accountRule);
  const { mutate: change } = useChangeRule();
  if (data === undefined) return <NotLoaded hasFailed={isError} onRetry={() => void refetch()} />;
  return (
    <Panel title={messages.afterPress} help={messages.undoHelp} isSplit>
      <SelectField
        label={messages.undo}
        choices={UNDO_SECONDS.map((seconds) => ({
          value: String(seconds),
          label: seconds === 0 ? messages.never : messages.seconds(seconds),
        }))}
        value={String(data.undo_seconds)}
        onChange={(value) => {
          const undo_seconds = UNDO_SECONDS.find((seconds) => String(seconds) === value);
          if (undo_seconds !== undefined) change({ undo_seconds });
        }}
      />
    </Panel>
  );
}
