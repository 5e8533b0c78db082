import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useId, useState } from 'react';
import { OUTSIDE } from '#domain/sending/sending-hours.ts';
import { Button } from '#web/components/button.tsx';
import { LeaveGuard } from '#web/components/dialog/leave-guard.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { FormFoot } from '#web/components/form-foot.tsx';
import { Panel } from '#web/components/panel.tsx';
import { ReadOnly } from '#web/components/read-only.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { call } from '#web/lib/api/call.ts';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { type GroupRules, reloadRules } from '#web/lib/data/group-rules.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { useKey } from '#web/lib/screen/keys.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { type Affected, AffectedNotice } from '../affected-notice.tsx';
import styles from './hours.module.css';
import {
  DEFAULT_SPANS,
  dayField,
  fieldOf,
  type HoursForm,
  hoursFaults,
  isOneLine,
  periodsOf,
  shownValue,
  storedOf,
  WEEK,
  WORKDAYS,
} from './hours-form.ts';
import { WeekdayRow, WorkdaysRow } from './weekday-row.tsx';
import { HOURS_MESSAGES as messages } from './words.ts';

/** Edits when a group sends, and what happens to its mails outside of these hours. */
export function GroupHours({ rules }: { readonly rules: GroupRules }) {
  const edited = useHoursForm(rules);
  const { element, name, faults, isDirty, isSaved, busy, problem, conflict, theirs, affected, save, discard } = edited;

  const may = useMay('updateSendingRules');
  useKey('save', () => {
    if (may) save();
    return true;
  });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    save();
  }

  return (
    <Panel title={messages.title} help={messages.help}>
      <form ref={element} className="stack-wide" onSubmit={submit} noValidate>
        {problem === undefined ? null : (
          <Notice tone="bad" role="alert">
            {problem}
          </Notice>
        )}
        <TheirChanges message={conflict} theirs={theirs.map(shownValue)}>
          <Button onClick={discard}>{COMMON_MESSAGES.theirChanges.load}</Button>
        </TheirChanges>
        <ReadOnly may={may}>
          <div className={styles.parts}>
            <Week edited={edited} />
            <Outside edited={edited} />
          </div>
          <AffectedNotice change={affected} />
          <FormFoot
            isDirty={isDirty}
            busy={busy}
            told={isSaved ? messages.saved : null}
            fault={Object.keys(faults).length === 0 ? undefined : messages.wrong}
            onDiscard={discard}
          />
        </ReadOnly>
      </form>
      <LeaveGuard draft={name} dirty={isDirty} {...messages.leaving} />
    </Panel>
  );
}

interface PartProps {
  readonly edited: EditedHours;
}

/** Shows the hours of the week, and whether they also apply on holidays. */
function Week({ edited: { form, faults, change } }: PartProps) {
  const ticked = WEEK.filter((weekday) => form[dayField(weekday)] !== '');
  const [first] = ticked;
  const firstSpans = first === undefined ? DEFAULT_SPANS : form[dayField(first)];
  const differs = ticked.some((weekday) => form[dayField(weekday)] !== firstSpans);
  const canFold = isOneLine(form);
  const [isOpen, setOpen] = useState(!canFold);
  // Weekdays that differ stay open when they become equal: rows must not vanish while a person edits them.
  if (!canFold && !isOpen) setOpen(true);
  const put = (weekdays: typeof ticked, written: string) =>
    change(Object.fromEntries(weekdays.map((weekday) => [dayField(weekday), written])));
  return (
    <div className="stack">
      {isOpen ? null : (
        <WorkdaysRow
          written={firstSpans}
          fault={WORKDAYS.map((weekday) => faults[dayField(weekday)]).find((fault) => fault !== undefined)}
          onChange={(written) => put(WORKDAYS, written)}
        />
      )}
      {canFold ? (
        <div>
          <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {messages.byWeekday}
          </Button>
        </div>
      ) : null}
      {isOpen ? (
        <ul className="stack" aria-label={messages.week}>
          {WEEK.map((weekday) => (
            <WeekdayRow
              key={weekday}
              weekday={weekday}
              written={form[dayField(weekday)]}
              spansWhenTicked={firstSpans}
              fault={faults[dayField(weekday)]}
              onChange={(written) => change({ [dayField(weekday)]: written })}
            />
          ))}
        </ul>
      ) : null}
      {differs ? (
        <div>
          <Button onClick={() => put(ticked, firstSpans)}>{messages.sameForAll}</Button>
        </div>
      ) : null}
      <label>
        <input
          type="checkbox"
          checked={form.on_holidays}
          onChange={({ target }) => change({ on_holidays: target.checked })}
        />
        {messages.onHolidays}
      </label>
    </div>
  );
}

function Outside({ edited: { form, change } }: PartProps) {
  const id = useId();
  return (
    <fieldset className={styles.choices}>
      <legend>{messages.outside}</legend>
      {OUTSIDE.map((outside) => (
        <div key={outside} className={styles.choice}>
          <label>
            <input
              type="radio"
              name="outside"
              aria-describedby={`${id}${outside}`}
              checked={form.outside === outside}
              onChange={() => change({ outside })}
            />
            {messages.outsides[outside]}
          </label>
          <p id={`${id}${outside}`} className="note">
            {messages.outsideHelp[outside]}
          </p>
        </div>
      ))}
    </fieldset>
  );
}

/** Returns the edited hours of a group, the reservations that its last save affects, and the actions on it. */
function useHoursForm(rules: GroupRules) {
  const client = useQueryClient();
  const [affected, setAffected] = useState<Affected | null>(null);
  const edited: EditedForm<HoursForm> = useDraftForm({
    name: `sending_rules.${rules.sender_group_id}`,
    stored: storedOf(rules),
    check: hoursFaults,
    send: async (form) => {
      const { on_holidays, outside } = form;
      const answer = unwrap(
        await call('updateSendingRules', {
          params: { sender_group_id: String(rules.sender_group_id) },
          body: {
            version: rules.version,
            update_info: { periods: periodsOf(form), on_holidays: on_holidays ? 1 : 0, outside },
          },
        }),
      );
      await reloadRules(client);
      return { ...answer, version: String(answer.version) };
    },
    onSaved: setAffected,
    isConflict: (error) => hasCode(error, 'sending_rules_changed'),
    reload: () => reloadRules(client),
    fieldOf,
    // An error without a field is shown above the form.
    showsItself: () => true,
  });
  return { ...edited, affected };
}

type EditedHours = ReturnType<typeof useHoursForm>;
