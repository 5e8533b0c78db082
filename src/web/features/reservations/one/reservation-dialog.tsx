import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import { parseDateTime } from '#domain/time/tokyo-time.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import facts from '#web/components/dialog/dialog-body.module.css';
import { DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { FRAME_MESSAGES } from '#web/components/words.ts';
import { sendPath } from '#web/lib/address/params.ts';
import { hasStatus } from '#web/lib/api/query-client.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { companies, LIST_SEPARATOR, withNote } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { asReservation } from '../all-reservations.tsx';
import DeleteDialog from '../delete-dialog.tsx';
import { ReservationBadge } from '../reservation-badge.tsx';
import {
  isOpenState,
  letReservationGo,
  type ReservationDetail,
  reloadReservation,
  reservationDetail,
} from '../reservation-queries.ts';
import { slotsText } from '../reservation-texts.ts';
import { ALL_RESERVATIONS_MESSAGES, UNSENT_MESSAGES } from '../words.ts';
import { ChangeFields } from './change-fields.tsx';
import type { Saved, SenderChoice } from './change-form.ts';
import styles from './reservation-dialog.module.css';
import { SendNowDialog } from './send-now-dialog.tsx';
import { CHANGE_MESSAGES as messages } from './words.ts';

interface Props {
  readonly id: number;
  /** The time that the form shows first, in epoch milliseconds. */
  readonly moveTo: number | undefined;
  /** The active senders of its group; undefined: loading. */
  readonly senders: readonly SenderChoice[] | undefined;
  readonly onClose: () => void;
  readonly onSaved: (saved: Saved) => void;
  /** Called when it was deleted, here or elsewhere. */
  readonly onGone: () => void;
  /** Called with the run of a reservation that was sent now, and the end of its undo window. */
  readonly onSent: (sendLogId: number, startsAt?: string) => void;
  /** The time in seconds in which a real send can be undone; undefined: unknown. */
  readonly undoSeconds: number | undefined;
  /** Opens the attack list, from which companies are added. */
  readonly onAdd: (detail: ReservationDetail) => void;
}

/**
 * Shows one reservation: a form while it is pending, otherwise its outcome, or what is planned where the member may not
 * change it. It has its own address.
 */
export function ReservationDialog(props: Props) {
  const { id, onClose } = props;
  const { data, error, refetch } = useQuery(reservationDetail(id));
  const may = useMay('updateReservation', { groupId: data?.group.id });
  const isOpen = may && data !== undefined && isOpenState(data.state);
  const isMissing = hasStatus(error, 404);
  const title = isMissing || (data !== undefined && !isOpen) ? messages.shownTitle : messages.title;
  return (
    <Dialog title={title} size={isMissing ? 460 : 720} grows isSheet={!isMissing} onClose={onClose}>
      {isMissing ? (
        <EmptyState kind="no-match" title={messages.notFound} help={messages.notFoundHelp}>
          <Button variant="primary" onClick={onClose}>
            {FRAME_MESSAGES.backTo(ALL_RESERVATIONS_MESSAGES.title)}
          </Button>
        </EmptyState>
      ) : data === undefined ? (
        <NotLoaded what={ALL_RESERVATIONS_MESSAGES.title} error={error} onRetry={() => void refetch()} />
      ) : isOpen ? (
        <Open {...props} detail={data} />
      ) : (
        <Ended {...props} detail={data} />
      )}
    </Dialog>
  );
}

type Part = Props & { readonly detail: ReservationDetail };

function Open(props: Part) {
  const { detail, onGone } = props;
  const [asked, setAsked] = useState<'delete' | 'send' | null>(null);
  const sendHelp = useId();
  return (
    <div className={styles.open}>
      {detail.state === 'held' ? (
        <Held detail={detail} onDrop={() => setAsked('delete')} />
      ) : (
        <Unsent detail={detail} />
      )}
      <Facts detail={detail} />
      {detail.notes
        // Errors of the time are shown at the field.
        .filter(({ code }) => code.startsWith('sender_') || code === 'over_limit')
        .map(({ code, text }) => (
          <Notice key={code} tone="warning">
            {text}
          </Notice>
        ))}
      <ChangeFields
        {...props}
        acts={(isDirty) => (
          <>
            <Button className={styles.remove} onClick={() => setAsked('delete')}>
              {ALL_RESERVATIONS_MESSAGES.remove}
            </Button>
            <Button
              variant="outline"
              disabled={isDirty}
              aria-describedby={isDirty ? sendHelp : undefined}
              onClick={() => setAsked('send')}
            >
              {messages.sendNow.open}
            </Button>
            {isDirty ? (
              <span id={sendHelp} className={`note ${styles.sendHelp}`}>
                {messages.sendNow.isDirtyHelp}
              </span>
            ) : null}
          </>
        )}
      >
        <History events={detail.history} />
      </ChangeFields>
      {asked === 'delete' ? (
        <DeleteDialog
          reservation={asReservation(detail)}
          subject={detail.sender.subject}
          onClose={() => setAsked(null)}
          onGone={onGone}
        />
      ) : null}
      {asked === 'send' ? <SendNowDialog {...props} onClose={() => setAsked(null)} /> : null}
    </div>
  );
}

/** Shows a reservation that was open in a restored backup: a member decides whether it is sent. */
function Held({ detail, onDrop }: { readonly detail: ReservationDetail; readonly onDrop: () => void }) {
  const [busy, setBusy] = useState(false);
  const client = useQueryClient();
  const isOver = (parseDateTime(detail.send_at) ?? 0) <= serverNow();
  const { help, send, drop } = DATA_MESSAGES.restored;

  async function letGo(): Promise<void> {
    setBusy(true);
    const answer = await letReservationGo(detail);
    await reloadReservation(client, detail.id);
    setBusy(false);
    if (answer.ok) toast('success', messages.letGo);
    else if (answer.status !== 401) toast('warning', answer.message);
  }

  return (
    <Notice
      tone="warning"
      act={
        <span className="row">
          {isOver ? null : (
            <Button busy={busy} onClick={() => void letGo()}>
              {send}
            </Button>
          )}
          <Button busy={busy} onClick={onDrop}>
            {drop}
          </Button>
        </span>
      }
    >
      <p>{help}</p>
      {isOver ? <p>{messages.heldHelp}</p> : null}
    </Notice>
  );
}

/** Shows why it was not sent, or not yet, and the remedy. */
function Unsent({ detail: { state, refused_reason } }: { readonly detail: ReservationDetail }) {
  if (state === 'missed') {
    return (
      <Notice
        tone="bad"
        act={
          <Button
            onClick={({ currentTarget }) =>
              currentTarget.closest('dialog')?.querySelector<HTMLElement>('form select')?.focus()
            }
          >
            {ALL_RESERVATIONS_MESSAGES.acts.missed}
          </Button>
        }
      >
        <p>{messages.missed(refused_reason)}</p>
        <p>{messages.missedHelp}</p>
      </Notice>
    );
  }
  return refused_reason === null ? null : <Notice tone="warning">{refused_reason}</Notice>;
}

function Ended({ detail, onClose }: Part) {
  const { send_log_id, state } = detail;
  return (
    <div className="stack">
      <Facts detail={detail}>
        <dt>{ALL_RESERVATIONS_MESSAGES.columns.send_at}</dt>
        <dd>{sentenceTime(detail.send_at)}</dd>
        <dt>{ALL_RESERVATIONS_MESSAGES.columns.targets}</dt>
        <dd>{messages.companies(detail.targets)}</dd>
        <dt>{ALL_RESERVATIONS_MESSAGES.columns.candidates}</dt>
        <dd className={styles.slots}>{slotsText(detail.datetime_list ?? [], '\n')}</dd>
      </Facts>
      <History events={detail.history} />
      <DialogFoot
        stay={<Button onClick={onClose}>{COMMON_MESSAGES.actions.close}</Button>}
        act={
          send_log_id === null ? null : (
            // Where nothing was sent, nothing is to be seen to either.
            <ButtonLink to={sendPath(send_log_id)} variant={state === 'cancelled' ? 'default' : 'primary'}>
              {messages.toRun}
            </ButtonLink>
          )
        }
      />
    </div>
  );
}

/** Shows its facts in one line: subject, group, author, state. */
function Facts({ detail, children }: { readonly detail: ReservationDetail; readonly children?: ReactNode }) {
  const { sender, group, member_name, state, put_off_until, maybe_refused, send_to } = detail;
  return (
    <>
      <div className={`row ${styles.what}`}>
        <strong>{withNote(sender.subject, sender.template_name)}</strong>
        <span className="note">
          {[group.group_name, member_name, send_to === 'company' ? null : messages.toPrimary]
            .filter((name) => name !== null)
            .join(LIST_SEPARATOR)}
        </span>
        <ReservationBadge state={state} />
        {put_off_until === null ? null : <span>{ALL_RESERVATIONS_MESSAGES.putOff(sentenceTime(put_off_until))}</span>}
      </div>
      {maybe_refused === 0 ? null : <p>{UNSENT_MESSAGES.doubtedHelp(maybe_refused)}</p>}
      {children === undefined ? null : <dl className={`${facts.facts} ${styles.facts}`}>{children}</dl>}
    </>
  );
}

type Event = ReservationDetail['history'][number];

/** Lists what members did with a reservation, newest first. */
function History({ events }: { readonly events: readonly Event[] }) {
  if (events.length === 0) return null;
  return (
    <details>
      <summary>{messages.history}</summary>
      <ul className={styles.history}>
        {events.map((event, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an event has no id, and the list only grows
          <li key={place}>
            <span>{sentenceTime(event.at)}</span>
            <span>{messages.by(event.member_name)}</span>
            <span>{[messages.kinds[event.kind], ...whatOf(event.changes)].join(LIST_SEPARATOR)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

const dates = (slots: readonly CandidateDate[] | null): string => slotsText(slots ?? []);

function whatOf(changes: Event['changes']): string[] {
  const { send_at, datetime_list, subject, added, removed } = changes;
  const { what, changed } = messages;
  return [
    ...(send_at ? [what.send_at(changed(sentenceTime(send_at.from), sentenceTime(send_at.to)))] : []),
    ...(datetime_list ? [what.datetime_list(changed(dates(datetime_list.from), dates(datetime_list.to)))] : []),
    ...(subject ? [what.subject(changed(subject.from, subject.to))] : []),
    ...(added ? [what.added(companies(added))] : []),
    ...(removed ? [what.removed(companies(removed))] : []),
    ...(['merged_into', 'merged_from', 'taken_over', 'let_go', 'sent_now', 'taken_back'] as const).flatMap((name) =>
      changes[name] ? [what[name]] : [],
    ),
  ];
}
