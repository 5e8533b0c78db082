import { type ReactNode, useEffectEvent, useId, useLayoutEffect } from 'react';
import { nextCandidate } from '#domain/sending/candidate-dates.ts';
import { defaultSendAt } from '#domain/sending/reservation-window.ts';
import { Button } from '#web/components/button.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { Switch } from '#web/components/field/switch.tsx';
import { CandidateDatesEditor } from '#web/components/schedule/candidate-dates-editor.tsx';
import { ReservationPicker } from '#web/components/schedule/reservation-picker.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { hasCode } from '#web/lib/api/query-client.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { useClosedDays, useTimeNote } from '#web/lib/data/group-rules.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import type { ReservationDetail } from '../reservation-queries.ts';
import { figuresText } from '../reservation-texts.ts';
import {
  type ChangeForm,
  changeFaults,
  removedOf,
  type Saved,
  type SenderChoice,
  slotsField,
  slotsOf,
  useChangeForm,
} from './change-form.ts';
import { ChangeTargets } from './change-targets.tsx';
import { Conflict } from './conflict.tsx';
import { Refused } from './refused.tsx';
import styles from './reservation-dialog.module.css';
import { CHANGE_MESSAGES as messages } from './words.ts';

interface Props {
  readonly detail: ReservationDetail;
  readonly moveTo: number | undefined;
  readonly senders: readonly SenderChoice[] | undefined;
  readonly onClose: () => void;
  readonly onSaved: (saved: Saved) => void;
  readonly onAdd: (detail: ReservationDetail) => void;
  /** Renders the other actions beside the save button. */
  readonly acts: (isDirty: boolean) => ReactNode;
  /** The content above the save button. */
  readonly children: ReactNode;
}

type Form = ReturnType<typeof useChangeForm>;

/** Shows the form of a change. The typed values stay in the session; キャンセル discards them. */
export function ChangeFields({ detail, moveTo, senders, onClose, onSaved, onAdd, acts, children }: Props) {
  const form = useChangeForm(detail, onSaved);
  const begin = useEffectEvent((sendAt: number) => form.change({ sendAt }));
  useLayoutEffect(() => {
    if (moveTo !== undefined) begin(moveTo);
  }, [moveTo]);
  const { change, element } = form;
  return (
    <form
      ref={element}
      className={styles.open}
      onSubmit={(event) => {
        event.preventDefault();
        form.save(false);
      }}
    >
      <Trouble form={form} detail={detail} senders={senders} />
      <When form={form} detail={detail} />
      <Dates form={form} groupId={detail.group.id} />
      <SelectField
        label={messages.template}
        help={messages.liveHelp}
        choices={senderChoices(detail, senders)}
        value={String(form.form.senderId)}
        error={form.faults.senderId}
        onChange={(id) => change({ senderId: Number(id) })}
      />
      <ChangeTargets
        detail={detail}
        removed={removedOf(form.form)}
        fault={form.faults.removed}
        onChange={(ids) => change({ removed: ids.join(',') })}
        onAdd={() => onAdd(detail)}
      />
      {children}
      <Foot form={form} detail={detail} acts={acts} onClose={onClose} />
    </form>
  );
}

const isConflictOf = ({ isDirty, conflict, theirs }: Form): boolean =>
  isDirty && (conflict !== undefined || theirs.length > 0);

/** Says at the fields why nothing was saved: a refusal, or what another member has saved meanwhile. */
function Trouble({ form, detail, senders = [] }: { readonly form: Form } & Pick<Props, 'detail' | 'senders'>) {
  if (!isConflictOf(form)) return <Refused form={form} />;
  const { conflict, base, stored } = form;
  return (
    <Conflict message={conflict} form={form.form} base={base.form} stored={stored} detail={detail} senders={senders} />
  );
}

/** Shows the save button with its effect, or the choice between this change and another member's. */
function Foot({ form, detail, acts, onClose }: { readonly form: Form } & Pick<Props, 'detail' | 'acts' | 'onClose'>) {
  const { stored, isDirty, busy } = form;
  const figures = (of: ChangeForm) =>
    figuresText({ sendAt: of.sendAt, companies: detail.targets - removedOf(of).length, dates: slotsOf(of).length });
  const isConflict = isConflictOf(form);
  function leave(): void {
    form.discard();
    onClose();
  }
  // Nothing of it can be changed or deleted any more.
  if (hasCode(form.error, 'reservation_started')) {
    return <DialogFoot stay={<Button onClick={leave}>{COMMON_MESSAGES.actions.close}</Button>} />;
  }
  return (
    <DialogFoot
      stay={<CancelButton busy={busy} onClick={leave} />}
      others={isConflict ? null : acts(isDirty)}
      act={isConflict ? <ConflictActs form={form} /> : <SaveButton form={form} />}
    >
      {isDirty && !isConflict ? (
        <dl className={`${dialog.facts} ${styles.facts}`}>
          <dt>{messages.before}</dt>
          <dd>{figures(stored)}</dd>
          <dt>{messages.after}</dt>
          <dd className={styles.after}>{figures(form.form)}</dd>
        </dl>
      ) : null}
    </DialogFoot>
  );
}

const SaveButton = ({ form: { busy, isDirty } }: { readonly form: Form }) => (
  <Button type="submit" variant="primary" busy={busy} disabled={!isDirty}>
    {messages.save}
  </Button>
);

/** The two ways out of a conflict. Neither is filled: each loses something. */
function ConflictActs({ form }: { readonly form: Form }) {
  return (
    <>
      <Button
        busy={form.busy}
        onClick={() => {
          form.discard();
          form.element.current?.querySelector<HTMLElement>('[role="combobox"]')?.focus();
        }}
      >
        {messages.conflict.takeSaved}
      </Button>
      <Button type="submit" className={styles.overwrite} busy={form.busy}>
        {messages.conflict.overwrite}
      </Button>
    </>
  );
}

/** Returns the senders to choose from, including the current one even if it is inactive. */
function senderChoices({ sender }: ReservationDetail, senders: readonly SenderChoice[] = []) {
  const choices = senders.map(({ id, subject, person_in_charge }) => ({
    value: String(id),
    label: messages.sender(subject, person_in_charge),
  }));
  if (choices.some(({ value }) => value === String(sender.id))) return choices;
  const own = messages.sender(sender.subject, sender.person_in_charge);
  return [{ value: String(sender.id), label: senders.length === 0 ? own : messages.gone(own) }, ...choices];
}

function When({ form: { form, stored, faults, change }, detail }: { readonly form: Form } & Pick<Props, 'detail'>) {
  const now = serverNow();
  const { text, next } = useTimeNote(detail.test_send_mode === 0 ? detail.group.id : undefined, form.sendAt);
  return (
    <div className="stack-tight">
      {form.sendAt === stored.sendAt ? null : (
        <p className={styles.moved}>{messages.moved(sentenceTime(stored.sendAt), sentenceTime(form.sendAt))}</p>
      )}
      <ReservationPicker
        sendAt={form.sendAt}
        now={now}
        fault={faults.sendAt ?? changeFaults(form, stored, now).sendAt}
        onChange={(sendAt) => change({ sendAt: sendAt ?? defaultSendAt(now) })}
      />
      {text === null ? null : (
        <Notice
          tone="warning"
          act={
            next === null ? null : (
              <Button onClick={() => change({ sendAt: next })}>{messages.moveTo(sentenceTime(next))}</Button>
            )
          }
        >
          {text}
        </Notice>
      )}
    </div>
  );
}

function Dates({ form: { form, stored, faults, change }, groupId }: { readonly form: Form; readonly groupId: number }) {
  const now = serverNow();
  const closedOn = useClosedDays(groupId);
  const first = () => nextCandidate([], now, form.sendAt, (day) => closedOn(day) !== null);
  const id = useId();
  const rows = slotsOf(form);
  const { candidates } = changeFaults(form, stored, now);
  const isAnyOver = candidates.some((fault) => fault?.isOver);
  return (
    <div className="stack">
      <div className="line">
        <Switch
          id={id}
          checked={rows.length > 0}
          onChange={(on) => change({ candidates: on ? slotsField([first()]) : '' })}
        />
        <label htmlFor={id} className={styles.switch}>
          {messages.offersDates}
        </label>
      </div>
      {rows.length === 0 ? null : (
        <CandidateDatesEditor
          rows={rows}
          faults={candidates}
          groupId={groupId}
          now={now}
          onChange={(next) => change({ candidates: slotsField(next) })}
        />
      )}
      {isAnyOver ? (
        <Button onClick={() => change({ candidates: slotsField(rows.filter((_, at) => !candidates[at]?.isOver)) })}>
          {messages.removeOld}
        </Button>
      ) : null}
      {faults.candidates === undefined || candidates.some((fault) => fault !== null) ? null : (
        <p role="alert" className={styles.fault}>
          {faults.candidates}
        </p>
      )}
    </div>
  );
}
