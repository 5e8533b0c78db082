import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import bodyStyles from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { LeaveGuard } from '#web/components/dialog/leave-guard.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { FormFoot } from '#web/components/form-foot.tsx';
import { Panel } from '#web/components/panel.tsx';
import { ReadOnly } from '#web/components/read-only.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { hasCode, SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { MAIL_RETENTION } from '#web/lib/api/query-keys.ts';
import { useDraftForm } from '#web/lib/form/draft-form.ts';
import { keepWhole } from '#web/lib/form/merged-form.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './retention-settings.module.css';
import { RETENTION_MESSAGES as messages } from './words.ts';

type Retention = AnswerOf<'viewMailRetention'>;

/** Fetches how long the account keeps its mails. */
const mailRetention = queryOptions({
  queryKey: [MAIL_RETENTION],
  meta: SHOWN_IN_PLACE,
  queryFn: async ({ signal }): Promise<Retention> => unwrap(await call('viewMailRetention', {}, { signal })),
});

/** Selects when names and addresses are removed from old mails. */
export function RetentionSettings() {
  const { data, error, refetch } = useQuery(mailRetention);
  if (data === undefined) return <NotLoaded what={messages.title} error={error} onRetry={() => void refetch()} />;
  return <RetentionForm stored={data} />;
}

const MONTHS = [6, 12, 24, 36, 60, 84, 120];
const NEVER = '';

function RetentionForm({ stored }: { readonly stored: Retention }) {
  const [asks, setAsks] = useState(false);
  const edited = useRetentionForm(stored);
  const { form, change, isDirty, busy } = edited;
  const { months } = form;
  const choices = [...new Set([...MONTHS, ...(stored.months === null ? [] : [stored.months])])].toSorted(
    (a, b) => a - b,
  );

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (!isDirty || busy) return;
    if (months !== null) setAsks(true);
    else edited.save();
  }

  return (
    <Panel title={messages.title} help={messages.help} isSplit>
      <form className={`stack ${styles.settings}`} onSubmit={submit}>
        <TheirChanges message={edited.conflict} theirs={isDirty && edited.theirs.length > 0 ? theirsOf(stored) : []}>
          <Button onClick={edited.discard}>{COMMON_MESSAGES.theirChanges.load}</Button>
        </TheirChanges>
        <ReadOnly may={useMay('updateMailRetention')}>
          <SelectField
            label={messages.months}
            className={styles.months}
            choices={[
              { value: NEVER, label: messages.never },
              ...choices.map((value) => ({ value: String(value), label: messages.after(value) })),
            ]}
            value={months === null ? NEVER : String(months)}
            onChange={(value) => change({ months: value === NEVER ? null : Number(value) })}
          />
          {months === null ? null : (
            <>
              <p className="note">{messages.takenOut}</p>
              <ul className="note bullets">
                {messages.rules.map((rule) => (
                  <li key={rule}>{rule}</li>
                ))}
              </ul>
            </>
          )}
          {stored.archived > 0 ? <p>{messages.archived(stored.archived)}</p> : null}
          <FormFoot
            isDirty={isDirty}
            busy={busy}
            told={edited.isSaved ? messages.saved : null}
            onDiscard={edited.discard}
          />
        </ReadOnly>
        <LeaveGuard draft={edited.name} dirty={isDirty} question={messages.unsaved} leave={messages.leave} />
        {asks && months !== null ? (
          <ConfirmBlanks
            months={months}
            onSave={() => {
              setAsks(false);
              edited.save();
            }}
            onClose={() => setAsks(false)}
          />
        ) : null}
      </form>
    </Panel>
  );
}

/** Returns another member's setting as rows. */
const theirsOf = ({ months }: Retention) => [
  { label: messages.months, value: months === null ? messages.never : messages.after(months) },
];

interface ConfirmProps {
  readonly months: number;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

function ConfirmBlanks({ months, onSave, onClose }: ConfirmProps) {
  return (
    <Dialog title={messages.confirm.title} onClose={onClose}>
      <p className={bodyStyles.question}>{messages.confirm.question(messages.after(months))}</p>
      <p className={bodyStyles.consequence}>{messages.confirm.consequence}</p>
      <DialogFoot
        stay={<CancelButton onClick={onClose} data-autofocus />}
        act={
          <Button variant="danger" onClick={onSave}>
            {messages.confirm.button}
          </Button>
        }
      />
    </Dialog>
  );
}

/** Manages the form of the setting. */
function useRetentionForm({ version, months }: Retention) {
  const client = useQueryClient();
  const { queryKey } = mailRetention;
  const isConflict = (error: Error) => hasCode(error, 'mail_retention_changed');
  return useDraftForm({
    name: 'retention',
    stored: { version, form: { months } },
    merge: keepWhole,
    send: async (update_info: InputOf<'updateMailRetention'>['body']['update_info']) => {
      const saved = unwrap(await call('updateMailRetention', { body: { version, update_info } }));
      client.setQueryData(queryKey, (before) => before && { ...before, ...update_info, version: saved.version });
      return saved;
    },
    onSaved: () => client.invalidateQueries({ queryKey }),
    isConflict,
    reload: () => client.invalidateQueries({ queryKey }),
    showsItself: isConflict,
  });
}
