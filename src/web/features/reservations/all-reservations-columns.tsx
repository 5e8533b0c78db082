import type { ReactNode } from 'react';
import { Button } from '#web/components/button.tsx';
import { CardLine } from '#web/components/card-line.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { asButtons, BADGE_EDGES, textColumn } from '#web/components/data-table/text-column.ts';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { TestTag } from '#web/components/inline/test-tag.tsx';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { companies, inBrackets, LIST_SEPARATOR, withNote } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import { listTime, sentenceTime } from '#web/lib/screen-time.ts';
import { May, useMay } from '#web/lib/session/use-may.ts';
import styles from './all-reservations.module.css';
import { ReservationBadge } from './reservation-badge.tsx';
import { isOpenState, type ReservationRow } from './reservation-queries.ts';
import { slotsText } from './reservation-texts.ts';
import { ALL_RESERVATIONS_MESSAGES as messages } from './words.ts';

const { columns: header } = messages;

const { term, names, short } = DATA_MESSAGES.sendTo;
/** Its whole name would push the buttons out of a window of 1,024 px. */
const SEND_TO = textColumn<ReservationRow>('send_to', term, ({ send_to }) => short[send_to], {
  titleOf: ({ send_to }) => names[send_to],
});

export interface RowActs {
  /** Returns the address of one reservation. */
  readonly pathOf: (id: number) => string;
  readonly onRemove: (row: ReservationRow) => void;
}

/** Returns the column for the second line of a phone's card; a tap shows the other cells. */
const cardLine = (pathOf: RowActs['pathOf']): Column<ReservationRow> => ({
  id: 'card_line',
  header: '',
  width: 0,
  onCard: 'line',
  foldName: ({ sender }) => messages.otherFieldsOf(sender.subject),
  render: (row) => (
    <CardLine time={listTime(row.send_at)} number={companies(row.targets)} group={row.group.group_name}>
      <ReservationBadge state={row.state} />
      {['held', 'missed', 'refused'].includes(row.state) ? <Open row={row} pathOf={pathOf} variant="default" /> : null}
    </CardLine>
  ),
});

/** @param hasSendTo whether some reservation's mails do not all go to companies, so that each says where they go */
export const columnsOf = (
  pathOf: RowActs['pathOf'],
  onRemove: RowActs['onRemove'],
  hasSendTo: boolean,
): readonly Column<ReservationRow>[] => [
  textColumn('send_at', header.send_at, ({ send_at }) => listTime(send_at)),
  {
    id: 'subject',
    header: header.subject,
    width: 100,
    fits: ({ sender }) => withNote(sender.subject, sender.template_name),
    // The tag of a test.
    beside: 60,
    most: 480,
    cut: true,
    isRowHeader: true,
    onCard: 'head',
    titleOf: ({ sender }) => withNote(sender.subject, sender.template_name),
    render: ({ id, sender, test_send_mode }) => (
      <span className={styles.wraps}>
        {test_send_mode === 1 ? <TestTag /> : null} <Link to={pathOf(id)}>{sender.subject}</Link>
        <span className={styles.template}>{inBrackets(sender.template_name)}</span>
      </span>
    ),
  },
  cardLine(pathOf),
  {
    id: 'group_name',
    header: header.group_name,
    width: 90,
    fits: ({ group }) => group.group_name,
    most: 240,
    cut: true,
    render: ({ group }) => <span className={styles.wraps}>{group.group_name}</span>,
    titleOf: ({ group }) => group.group_name,
  },
  {
    id: 'targets',
    header: header.targets,
    width: 48,
    fits: ({ targets, leaving }) => `${targets.toLocaleString('ja-JP')} ${messages.leaving(leavingOf(leaving))}`,
    kind: 'number',
    render: (row) => <Targets row={row} />,
  },
  ...(hasSendTo ? [SEND_TO] : []),
  {
    id: 'candidates',
    header: header.candidates,
    width: 48,
    fits: ({ datetime_list }) => String(datetime_list?.length ?? 0),
    kind: 'number',
    titleOf: ({ datetime_list }) => slotsText(datetime_list ?? []),
    render: ({ datetime_list }) => (datetime_list === null ? <span data-none>0</span> : datetime_list.length),
  },
  textColumn('member_name', header.member_name, ({ member_name }) => member_name ?? '', { most: 140 }),
  {
    id: 'state',
    header: header.state,
    width: 48,
    fits: ({ state }) => messages.states[state],
    beside: BADGE_EDGES,
    titleOf: ({ state, put_off_until }) =>
      put_off_until === null ? messages.states[state] : messages.putOff(sentenceTime(put_off_until)),
    render: ({ state }) => <ReservationBadge state={state} />,
  },
  {
    id: 'acts',
    header: header.acts,
    width: 48,
    fits: ({ state }) => asButtons([actOf(state), ...(isOpenState(state) ? [messages.remove] : [])]),
    kind: 'acts',
    isUnsortable: true,
    render: (row) => <Acts row={row} pathOf={pathOf} onRemove={onRemove} />,
  },
];

const leavingOf = ({ suppressed, replied }: ReservationRow['leaving']): number => suppressed + replied;
const actOf = (state: ReservationRow['state']): string => messages.acts[state] ?? messages.show;

function Targets({ row: { targets, leaving } }: { readonly row: ReservationRow }): ReactNode {
  const left = leavingOf(leaving);
  if (left === 0) return targets.toLocaleString('ja-JP');
  const reasons = [
    ...(leaving.suppressed === 0 ? [] : [messages.suppressed(leaving.suppressed)]),
    ...(leaving.replied === 0 ? [] : [messages.replied(leaving.replied)]),
  ].join(LIST_SEPARATOR);
  return (
    <span className={styles.targets} title={messages.leavingTitle(left, reasons)}>
      {targets.toLocaleString('ja-JP')}
      <span>{messages.leaving(left)}</span>
    </span>
  );
}

interface OpenProps extends Pick<RowActs, 'pathOf'> {
  readonly row: ReservationRow;
  readonly variant: 'quiet' | 'default';
}

const nameOf = (act: string, { sender, send_at }: ReservationRow): string =>
  messages.actOf(act, sender.subject, sentenceTime(send_at));

function Open({ row, pathOf, variant }: OpenProps) {
  const may = useMay('updateReservation', { groupId: row.group.id });
  const act = may ? actOf(row.state) : messages.show;
  return (
    <ButtonLink variant={variant} to={pathOf(row.id)} aria-label={nameOf(act, row)}>
      {act}
    </ButtonLink>
  );
}

function Acts({ row, pathOf, onRemove }: RowActs & { readonly row: ReservationRow }) {
  return (
    <span>
      <Open row={row} pathOf={pathOf} variant="quiet" />
      {isOpenState(row.state) ? (
        <May call="updateReservation" groupId={row.group.id}>
          <Button variant="quiet" aria-label={nameOf(messages.remove, row)} onClick={() => onRemove(row)}>
            {messages.remove}
          </Button>
        </May>
      ) : null}
    </span>
  );
}
