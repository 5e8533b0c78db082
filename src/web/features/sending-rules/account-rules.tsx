import { useQueryClient } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import { MAX_TARGETS, UNDO_SECONDS } from '#domain/limits.ts';
import { LeaveGuard } from '#web/components/dialog/leave-guard.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { FormFoot } from '#web/components/form-foot.tsx';
import { Panel } from '#web/components/panel.tsx';
import { ReadOnly } from '#web/components/read-only.tsx';
import { SavedMark } from '#web/components/state/saved-mark.tsx';
import { call } from '#web/lib/api/call.ts';
import type { Faults } from '#web/lib/api/faults-of.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { type AccountRule, accountRule, useChangeRule } from '#web/lib/data/account-rule.ts';
import { reloadRules } from '#web/lib/data/group-rules.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { readCount } from '#web/lib/form/written-count.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import styles from './sending-rules.module.css';
import { SENDING_RULE_MESSAGES as messages } from './words.ts';

/** Shows the rules for the account's sending: limits, what its groups see of each other, and the undo window. */
export function AccountRules({ rule }: { readonly rule: AccountRule }) {
  const { mutate: change, isSuccess, variables = {} } = useChangeRule();
  const mark = (field: keyof AccountRule) => <SavedMark isSaved={isSuccess && field in variables} />;
  return (
    <ReadOnly may={useMay('updateAccountRule')}>
      <Panel title={messages.accountLimit} help={messages.accountLimitHelp} isSplit>
        <AccountLimits rule={rule} />
      </Panel>
      <Panel title={messages.across} help={messages.acrossHelp} isSplit>
        <div className="row">
          <label className="line">
            <input
              type="checkbox"
              checked={rule.across_groups === 1}
              onChange={({ target }) => change({ across_groups: target.checked ? 1 : 0 })}
            />
            {messages.acrossTick}
          </label>
          {mark('across_groups')}
        </div>
      </Panel>
      <Panel title={messages.afterPress} help={messages.undoHelp} isSplit>
        <SelectField
          className={styles.undo}
          label={messages.undo}
          mark={mark('undo_seconds')}
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
    </ReadOnly>
  );
}

interface LimitForm {
  readonly per_day: string;
  readonly per_domain: string;
}

const written = (limit: number | null): string => (limit === null || limit === 0 ? '' : String(limit));

function limitFaults({ per_day, per_domain }: LimitForm): Faults {
  const [perDay, perDomain] = [readCount(per_day), readCount(per_domain)];
  const isWrong = perDomain === undefined || perDomain === 0 || (perDomain ?? 0) > MAX_TARGETS;
  return {
    ...((perDay === undefined || perDay === 0) && { per_day: messages.limitFault }),
    ...(isWrong && { per_domain: messages.perDomainFault(MAX_TARGETS) }),
  };
}

/** Shows the limits of mails per day, and per run and domain. */
function AccountLimits({ rule }: { readonly rule: AccountRule }) {
  const client = useQueryClient();
  const edited: EditedForm<LimitForm> = useDraftForm({
    name: 'account_limit',
    stored: { version: null, form: { per_day: written(rule.per_day), per_domain: written(rule.per_domain) } },
    check: limitFaults,
    send: async (form: LimitForm) => {
      const per_day = readCount(form.per_day) ?? null;
      const per_domain = readCount(form.per_domain) ?? 0;
      // Send a daily limit only if it differs, because it withdraws the mails that workers hold.
      const update_info = { ...(per_day !== rule.per_day && { per_day }), per_domain };
      const answer = unwrap(await call('updateAccountRule', { body: { update_info } }));
      client.setQueryData(accountRule.queryKey, (before) => before && { ...before, per_day, per_domain });
      return answer;
    },
    onSaved: () => reloadRules(client),
    isConflict: () => false,
  });
  const { element, name, form, faults, isDirty, isSaved, busy, change, save, discard } = edited;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    save();
  }

  return (
    <form ref={element} className={styles.limits} onSubmit={submit} noValidate>
      <TextField
        label={messages.limit}
        inputMode="numeric"
        error={faults.per_day}
        value={form.per_day}
        onChange={(per_day) => change({ per_day })}
      />
      <TextField
        label={messages.perDomain}
        help={messages.perDomainHelp}
        inputMode="numeric"
        error={faults.per_domain}
        value={form.per_domain}
        onChange={(per_domain) => change({ per_domain })}
      />
      <FormFoot
        isDirty={isDirty}
        busy={busy}
        name={messages.saveLimit}
        told={isSaved ? messages.limitSaved : null}
        onDiscard={discard}
      />
      <LeaveGuard draft={name} dirty={isDirty} {...messages.leaving} />
    </form>
  );
}
