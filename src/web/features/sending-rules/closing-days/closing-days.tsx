import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconRepeat from '@tabler/icons-react/dist/esm/icons/IconRepeat.mjs';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, useEffect, useState } from 'react';
import { type ClosingPreset, presetDays } from '#domain/sending/rules/closing-days.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { Button } from '#web/components/button.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { Panel } from '#web/components/panel.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { Told } from '#web/components/state/told.tsx';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { type GroupRules, reloadRules } from '#web/lib/data/group-rules.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { setDraft } from '#web/lib/session/session-store.ts';
import { May, useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { type Affected, AffectedNotice } from '../affected-notice.tsx';
import styles from './closing-days.module.css';
import { type ClosingDayRow, draftOf, type Group, shownDays } from './closing-days-query.ts';
import { ThreeMonths } from './three-months.tsx';
import { CLOSING_DAY_MESSAGES as messages } from './words.ts';

// Lazy, because the screen is read more often than it is changed.
const ClosingDayDialog = lazy(() =>
  loadPart(() => import('./closing-day-dialog.tsx')).then(({ ClosingDayDialog: day }) => ({ default: day })),
);
const ClosingCsvDialog = lazy(() =>
  loadPart(() => import('./closing-csv-dialog.tsx')).then(({ ClosingCsvDialog: csv }) => ({ default: csv })),
);

type Open = 'csv' | { readonly add: string } | Pick<ClosingDayRow, 'id' | 'name'>;

interface Props extends Pick<DaysProps, 'rows' | 'groups'> {
  /** The rules of the group whose days the calendar shows; undefined: only days for all groups. */
  readonly rules: GroupRules | undefined;
}

/** Shows the days on which the company is closed, or works although it would be closed. */
export function ClosingDays({ rows, groups, rules }: Props) {
  const [open, setOpen] = useState<Open | null>(null);
  const [told, tell] = useState<string | null>(null);
  const may = useMay('addClosingDay');
  const [affected, setAffected] = useState<Affected | null>(null);
  const done = (text: string | null, change: Affected) => {
    tell(text);
    setAffected(change);
  };
  const addPreset = useAddPreset(done);
  const close = () => setOpen(null);
  const dialog = { groups, onClose: close, onDone: done };
  const opened = open !== null && typeof open === 'object' && 'id' in open ? open : null;
  const added = open !== null && typeof open === 'object' && 'add' in open ? open.add : null;
  const edited = rows.find(({ id }) => id === opened?.id);
  return (
    <Panel title={messages.title} help={messages.help}>
      <div className={styles.parts}>
        <May call="addClosingDay">
          <div className="row">
            <Button aria-haspopup="dialog" onClick={() => setOpen({ add: '' })}>
              {messages.add}
            </Button>
            <Button variant="quiet" busy={addPreset.isPending} onClick={() => addPreset.mutate('new_year')}>
              {messages.presets.new_year}
            </Button>
            <Button variant="quiet" busy={addPreset.isPending} onClick={() => addPreset.mutate('obon')}>
              {messages.presets.obon}
            </Button>
            <Button variant="quiet" aria-haspopup="dialog" onClick={() => setOpen('csv')}>
              {messages.csv}
            </Button>
            <Told>{told}</Told>
          </div>
        </May>
        <AffectedNotice change={affected} />
        <Days rows={rows} groups={groups} onEdit={setOpen} onChanged={(change) => done(null, change)} />
        <ThreeMonths
          rules={rules}
          rows={rows.filter(
            ({ sender_group_id }) => sender_group_id === null || sender_group_id === rules?.sender_group_id,
          )}
          {...(may && { onPress: (row, add) => setOpen(row ?? { add }) })}
        />
      </div>
      {opened === null || edited !== undefined ? null : <GoneDay id={opened.id} name={opened.name} onClose={close} />}
      <PartBoundary>
        {added === null ? null : <ClosingDayDialog stored={null} firstDay={added} {...dialog} />}
        {edited === undefined ? null : <ClosingDayDialog stored={edited} {...dialog} />}
        {open === 'csv' ? <ClosingCsvDialog {...dialog} /> : null}
      </PartBoundary>
    </Panel>
  );
}

/** Replaces the dialog of a day that another member has deleted: nothing can be saved to it. */
function GoneDay({ id, name, onClose }: Pick<ClosingDayRow, 'id' | 'name'> & { readonly onClose: () => void }) {
  useEffect(() => {
    setDraft(draftOf(id), null);
    toast('warning', messages.gone(name));
    onClose();
  }, [id, name, onClose]);
  return null;
}

/** Adds the next usual closing days, for all groups. */
function useAddPreset(onDone: (told: string, change: Affected) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (preset: ClosingPreset) => {
      const today = dayOf(serverNow());
      const thisYear = Number(today.slice(0, 4));
      const year = presetDays(preset, thisYear).lastDay < today ? thisYear + 1 : thisYear;
      return { ...presetDays(preset, year), answer: unwrap(await call('addPresetDays', { body: { preset, year } })) };
    },
    onSuccess: async ({ name, firstDay, lastDay, answer }) => {
      const text = shownDays(firstDay, lastDay);
      onDone(answer.status === 'added' ? messages.added(name, text) : messages.there(name, text), answer);
      await reloadRules(client);
    },
  });
}

interface DaysProps {
  readonly rows: readonly ClosingDayRow[];
  readonly groups: readonly Group[];
  readonly onEdit: (row: ClosingDayRow) => void;
  /** Called with the reservations that a removal, or its undo, affects. */
  readonly onChanged: (change: Affected) => void;
}

function Days({ rows, groups, onEdit, onChanged }: DaysProps) {
  const today = dayOf(serverNow());
  const coming = rows.filter(({ yearly, last_day }) => yearly === 1 || last_day >= today);
  const past = rows.filter((row) => !coming.includes(row));
  const list = (shown: readonly ClosingDayRow[], label: string) => (
    <ul aria-label={label}>
      {shown.map((row) => (
        <Day key={row.id} row={row} groups={groups} onEdit={() => onEdit(row)} onChanged={onChanged} />
      ))}
    </ul>
  );
  return (
    <>
      {coming.length === 0 ? <p className="note">{messages.none}</p> : list(coming, messages.title)}
      {past.length === 0 ? null : (
        <details>
          <summary>{messages.past(past.length)}</summary>
          {list(past, messages.past(past.length))}
        </details>
      )}
    </>
  );
}

interface DayProps extends Pick<DaysProps, 'groups' | 'onChanged'> {
  readonly row: ClosingDayRow;
  readonly onEdit: () => void;
}

const YEARLY: StatusLook = { tone: 'neutral', Icon: IconRepeat };
const WORKING: StatusLook = { tone: 'blue', Icon: IconCheck };

function Day({ row, groups, onEdit, onChanged }: DayProps) {
  const { name, first_day, last_day, yearly, working, sender_group_id } = row;
  const client = useQueryClient();
  const put = async (active: 0 | 1, version: number) => {
    const params = { id: String(row.id) };
    const saved = unwrap(await call('updateClosingDay', { params, body: { version, update_info: { active } } }));
    onChanged(saved);
    await reloadRules(client);
    return saved.version;
  };
  const restore = useMutation({ mutationFn: (version: number) => put(1, version) });
  const remove = useMutation({
    mutationFn: () => put(0, row.version),
    onSuccess: (version) => {
      const run = () => restore.mutate(version);
      toast('success', messages.removed(name), undefined, { label: messages.restore, run });
    },
    // Somebody else has changed the day: show its current state.
    onError: () => reloadRules(client),
  });
  const group =
    sender_group_id === null
      ? null
      : (groups.find(({ id }) => id === sender_group_id)?.group_name ?? messages.inactiveGroup);
  return (
    <li className={`entry ${styles.day}`}>
      <span className={styles.dates}>{shownDays(first_day, last_day)}</span>
      <span className={styles.name}>
        <span>{name}</span> {yearly === 1 ? <StatusBadge look={YEARLY} word={messages.yearly} /> : null}{' '}
        {working === 1 ? <StatusBadge look={WORKING} word={messages.isWorking} /> : null}{' '}
        {group === null ? null : <small>{group}</small>}
      </span>
      <May call="updateClosingDay">
        <span className="line">
          <Button variant="quiet" aria-label={messages.editOf(name)} aria-haspopup="dialog" onClick={onEdit}>
            {COMMON_MESSAGES.actions.edit}
          </Button>
          <Button
            variant="quiet"
            aria-label={messages.removeOf(name)}
            busy={remove.isPending}
            onClick={() => remove.mutate()}
          >
            {messages.remove}
          </Button>
        </span>
      </May>
    </li>
  );
}
