import { useQueryClient } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import { UNDO_SECONDS } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { LeaveGuard } from '#web/components/leave-guard.tsx';
import { Panel } from '#web/components/panel.tsx';
import { SelectField } from '#web/components/select-field.tsx';
import { TextField } from '#web/components/text-field.tsx';
import { call } from '#web/lib/call.ts';
import { type EditedForm, useDraftForm } from '#web/lib/draft-form.ts';
import type { Faults } from '#web/lib/faults-of.ts';
import { reloadRules } from '#web/lib/group-rules.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { toast } from '#web/lib/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { readCount } from '#web/lib/written-count.ts';
import { type AccountRule, accountRule, useChangeRule } from './account-rule-query.ts';
import styles from './sending-rules.module.css';
import { SENDING_RULE_MESSAGES as messages } from './words.ts';

/** The rules of the account's sending: its limit of a day, and how long a send can be taken back. */
export function AccountRules({ rule }: { readonly rule: AccountRule }) {
  const { mutate: change } = useChangeRule();
  return (
    <>
      <Panel title={messages.accountLimit} help={messages.accountLimitHelp} isSplit>
        <AccountLimit perDay={rule.per_day} />
      </Panel>
      <Panel title={messages.afterPress} help={messages.undoHelp} isSplit>
        <SelectField
          label={messages.undo}
          choices={UNDO_SECONDS.map((seconds) => ({
            value: String(seconds),
            label: seconds === 0 ? messages.never : messages.seconds(seconds),
          }))}
          value={String(rule.undo_seconds)}
          onChange={(value) => {
            const undo_seconds = UNDO_SECONDS.find((seconds) => String(seconds) === value);
            if (undo_seconds !== undefined) change({ undo_seconds });
          }}
        />
      </Panel>
    </>
  );
}

interface LimitForm {
  readonly per_day: string;
}

/** The most mails of the account in a day. */
function AccountLimit({ perDay }: { readonly perDay: number | null }) {
  const client = useQueryClient();
  const edited: EditedForm<LimitForm> = useDraftForm({
    name: 'account_limit',
    stored: { version: null, form: { per_day: perDay === null ? '' : String(perDay) } },
    check: ({ per_day }): Faults => (readCount(per_day) === undefined ? { per_day: messages.limitFault } : {}),
    send: async (form: LimitForm) => {
      const per_day = readCount(form.per_day) ?? null;
      const answer = unwrap(await call('updateAccountRule', { body: { update_info: { per_day } } }));
      client.setQueryData(accountRule.queryKey, (before) => before && { ...before, per_day });
      return answer;
    },
    onSaved: async () => {
      toast('success', messages.limitSaved);
      await reloadRules(client);
    },
    isConflict: () => false,
  });
  const { element, name, form, faults, isDirty, busy, change, save } = edited;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    save();
  }

  return (
    <form ref={element} className={styles.limit} onSubmit={submit} noValidate>
      <TextField
        label={messages.limit}
        inputMode="numeric"
        error={faults.per_day}
        value={form.per_day}
        onChange={(per_day) => change({ per_day })}
      />
      <Button type="submit" className={styles.beside} busy={busy} disabled={!isDirty} aria-label={messages.saveLimit}>
        {COMMON_MESSAGES.actions.save}
      </Button>
      <LeaveGuard draft={name} dirty={isDirty} {...messages.leaving} />
    </form>
  );
}
