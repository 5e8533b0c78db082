import { useQueryClient } from '@tanstack/react-query';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { DraftDialog } from '#web/components/dialog/draft-dialog.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { call } from '#web/lib/api/call.ts';
import type { Faults } from '#web/lib/api/faults-of.ts';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import { reloadRules } from '#web/lib/data/group-rules.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import type { TheirField } from '#web/lib/form/merged-form.ts';
import type { Affected } from '../affected-notice.tsx';
import styles from './closing-days.module.css';
import { type ClosingDayRow, draftOf, type Group, shownDays } from './closing-days-query.ts';
import { CLOSING_DAY_MESSAGES as messages } from './words.ts';

interface Props {
  /** The stored day; null: a new one. */
  readonly stored: ClosingDayRow | null;
  /** The initial day of a new closing day. */
  readonly firstDay?: string;
  readonly groups: readonly Group[];
  readonly onClose: () => void;
  /** Called with a sentence about the saved day, and the reservations that it affects. */
  readonly onDone: (told: string, change: Affected) => void;
}

interface DayForm {
  readonly first_day: string;
  /** Blank: the same as the first day. */
  readonly last_day: string;
  readonly name: string;
  readonly yearly: boolean;
  readonly working: boolean;
  /** The id of its group; '': all groups. It cannot be changed later. */
  readonly group: string;
}

const NEW: DayForm = { first_day: '', last_day: '', name: '', yearly: false, working: false, group: '' };

const formOf = (row: ClosingDayRow): DayForm => ({
  first_day: row.first_day,
  last_day: row.last_day,
  name: row.name,
  yearly: row.yearly === 1,
  working: row.working === 1,
  group: row.sender_group_id === null ? '' : String(row.sender_group_id),
});

/** Shows the form of a closing day, in a dialog. */
export function ClosingDayDialog({ stored, firstDay = '', groups, onClose, onDone }: Props) {
  const edited = useDayForm(stored, firstDay, (told, change) => {
    onDone(told, change);
    onClose();
  });
  const { theirs, form, faults, change } = edited;

  const text = (field: 'first_day' | 'last_day' | 'name', more: { type?: 'date'; help?: string } = {}) => (
    <TextField
      {...more}
      label={messages.fields[field]}
      className={field === 'name' ? styles.wide : undefined}
      error={faults[field]}
      maxLength={field === 'name' ? MAX_NAME_LENGTH : undefined}
      value={form[field]}
      data-autofocus={field === (firstDay === '' ? 'first_day' : 'name') || undefined}
      onChange={(value) => change({ [field]: value })}
    />
  );
  return (
    <DraftDialog
      title={stored === null ? messages.dialog.add : messages.dialog.edit}
      edited={edited}
      theirs={theirs.map(shownValue)}
      act={stored === null ? messages.addAct : undefined}
      onClose={onClose}
    >
      <div className={styles.fields}>
        {text('first_day', { type: 'date' })}
        {text('last_day', { type: 'date', help: messages.lastDayHelp })}
        {text('name', { help: messages.nameHelp })}
        {stored === null ? (
          <GroupField groups={groups} value={form.group} onChange={(group) => change({ group })} />
        ) : null}
        <div className={styles.wide}>
          <Tick label={messages.yearly} checked={form.yearly} onChange={(yearly) => change({ yearly })} />
          <Tick label={messages.working} checked={form.working} onChange={(working) => change({ working })} />
          <p className="note">{messages.workingHelp}</p>
        </div>
      </div>
    </DraftDialog>
  );
}

interface TickProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

const Tick = ({ label, checked, onChange }: TickProps) => (
  <label>
    <input type="checkbox" checked={checked} onChange={({ target }) => onChange(target.checked)} />
    {label}
  </label>
);

interface GroupFieldProps {
  readonly groups: readonly Group[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Selects the groups that a day applies to. */
export const GroupField = ({ groups, value, onChange }: GroupFieldProps) => (
  <SelectField
    label={messages.fields.group}
    className={styles.wide}
    choices={[
      { value: '', label: messages.allGroups },
      ...groups.map(({ id, group_name }) => ({ value: String(id), label: group_name })),
    ]}
    value={value}
    onChange={onChange}
  />
);

/** Returns another member's value as the form displays it. */
function shownValue({ field, theirs }: TheirField<DayForm>): { label: string; value: string } {
  if (field === 'yearly' || field === 'working')
    return { label: messages[field], value: messages.flags[theirs ? 1 : 0] };
  const isDay = field === 'first_day' || field === 'last_day';
  return { label: messages.fields[field], value: isDay ? shownDays(theirs, theirs) : theirs };
}

/** Returns the errors that need no request. */
function dayFaults({ first_day, name }: DayForm): Faults {
  return {
    ...(first_day === '' ? { first_day: messages.dayMissing } : {}),
    ...(name.trim() === '' ? { name: messages.nameMissing } : {}),
  };
}

/** Manages the form of a closing day, and its save. */
function useDayForm(stored: ClosingDayRow | null, firstDay: string, onDone: Props['onDone']): EditedForm<DayForm> {
  const client = useQueryClient();
  const { keyOf } = useOnceKey();
  const edited: EditedForm<DayForm> = useDraftForm({
    name: draftOf(stored?.id ?? 'new'),
    stored:
      stored === null
        ? { version: null, form: { ...NEW, first_day: firstDay } }
        : { version: String(stored.version), form: formOf(stored) },
    check: dayFaults,
    send: async (form) => {
      const info = {
        first_day: form.first_day,
        last_day: form.last_day || form.first_day,
        name: form.name,
        yearly: form.yearly ? (1 as const) : (0 as const),
        working: form.working ? (1 as const) : (0 as const),
      };
      if (stored === null) {
        const body = { add_info: { ...info, sender_group_id: form.group === '' ? null : Number(form.group) } };
        return unwrap(await call('addClosingDay', { body }, { headers: { 'Idempotency-Key': keyOf(body) } }));
      }
      const { id, version } = stored;
      return unwrap(
        await call('updateClosingDay', { params: { id: String(id) }, body: { version, update_info: info } }),
      );
    },
    onSaved: async (saved, { name, first_day, last_day }) => {
      // The dialog closes, and discards what was typed meanwhile.
      edited.discard();
      const text = shownDays(first_day, last_day || first_day);
      onDone(stored === null ? messages.added(name.trim(), text) : messages.saved(name.trim()), saved);
      await reloadRules(client);
    },
    isConflict: (error) => hasCode(error, 'closing_day_changed'),
    reload: () => reloadRules(client),
    // An error without a field is shown above the form.
    showsItself: () => true,
  });
  return edited;
}
