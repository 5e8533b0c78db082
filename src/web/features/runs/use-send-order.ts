import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import type { ListConditions } from '#contract/companies/saved-conditions.ts';
import type { Acknowledgement } from '#domain/law/acknowledgement.ts';
import { SEND_TO, type SendTo } from '#domain/sending/attack-list.ts';
import { SKIP_REASONS } from '#domain/sending/eligibility.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { type AnswerOf, type ApiFailure, type ApiResult, call, type InputOf } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { RESERVATION_LIST } from '#web/lib/api/query-keys.ts';
import { bodyOfOrder, type MailOrder } from '#web/lib/data/mail-order.ts';
import { sendLog } from '#web/lib/data/send-log.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { useRouter } from '#web/lib/router/use-router.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { SENDING_MESSAGES } from './words.ts';

const { leftOut } = DATA_MESSAGES;
const { reserving, sending } = SENDING_MESSAGES;

/** The sender and the selection of targets, shown before companies get mail. */
export interface OrderOrigin {
  readonly from: { readonly name: string; readonly address: string };
  /** '' for none. */
  readonly bcc: string;
  /** false: the sender's address is not confirmed, and the server refuses real mails. */
  readonly isConfirmed?: boolean;
  readonly groupId: number | undefined;
  readonly groupName: string;
  /** The id of the person who sends the mails. */
  readonly profileId: number;
  readonly templateId: number;
  /** The filters as texts; empty: the whole list. */
  readonly conditions: readonly string[];
}

/** One send or reservation, fixed when its dialog opens. */
export interface SendOrder extends MailOrder {
  /** One key for each dialog, so that a retry after a lost answer mails nobody twice. */
  readonly idempotencyKey: string;
  readonly subject: string;
  /** How many of the mails go to main contact persons. */
  readonly toPrimary?: number;
  readonly origin: OrderOrigin;
  /** The conditions of the targets' list; null: chosen one by one; undefined: unknown. */
  readonly listConditions?: ListConditions;
  /** The query of the preview that lists the targets. */
  readonly listQuery?: InputOf<'previewAttackList'>['query'];
  /** Epoch milliseconds of a reservation; null: send at once. */
  readonly sendAt: number | null;
}

/** Returns the list's conditions in the form of both calls. */
const listConditionsAs = ({ listConditions }: Pick<SendOrder, 'listConditions'>) =>
  listConditions === undefined ? {} : { list_conditions: listConditions };

/** Returns the ticked warnings in the form of both calls. */
const acknowledgedAs = (warnings: readonly Acknowledgement[]) =>
  warnings.length === 0 ? {} : { acknowledged: [...warnings] };

/** Posts the send. @param warnings that the user has ticked */
function postMail(order: SendOrder, warnings: readonly Acknowledgement[]): Promise<ApiResult<AnswerOf<'sendMail'>>> {
  const body = {
    ...bodyOfOrder(order),
    ...listConditionsAs(order),
    ...acknowledgedAs(warnings),
  };
  const headers = { 'Idempotency-Key': order.idempotencyKey };
  const params = { sender_id: String(order.senderId) };
  return call('sendMail', { params, body }, { headers });
}

type ReserveAnswer = AnswerOf<'reserve'>;

interface Reservation extends SendOrder {
  readonly sendAt: number;
}
const isReservation = (order: SendOrder): order is Reservation => order.sendAt !== null;

/**
 * Posts a reservation. A retry after a lost answer finds its targets reserved, and adds nothing.
 *
 * @param warnings that the user has ticked
 */
function postReservation(order: Reservation, warnings: readonly Acknowledgement[]): Promise<ApiResult<ReserveAnswer>> {
  const { test_send_mode, attack_list, datetime_list, ...rest } = bodyOfOrder(order);
  const update = { attack_list, datetime_list, active: 1 as const };
  const key = { sender_id: order.senderId, send_at: formatSecond(order.sendAt), test_send_mode };
  const body = {
    add_info: { ...key, ...update },
    duplicate_key_update_info: update,
    ...rest,
    ...listConditionsAs(order),
    ...acknowledgedAs(warnings),
  };
  return call('reserve', { body });
}

/** Returns where the mails of an order go. A follow-up goes where its run went. @throws ApiError */
async function sendToOf({ sendTo, followUpOf }: SendOrder, client: QueryClient): Promise<SendTo> {
  if (sendTo !== undefined || followUpOf === undefined) return sendTo ?? 'company';
  return (await client.ensureQueryData(sendLog(followUpOf))).send_to;
}

/** Fetches whether a reservation exists to which the order would be added. */
export function hasReservation(order: SendOrder) {
  const where_info = {
    sender_id: order.senderId,
    send_at: formatSecond(order.sendAt ?? 0),
    is_sent: 0 as const,
    test_send_mode: bodyOfOrder(order).test_send_mode,
    active: 1 as const,
  };
  return queryOptions({
    queryKey: [RESERVATION_LIST, 'same', where_info, order.sendTo, order.followUpOf],
    queryFn: async ({ client, signal }): Promise<boolean> => {
      // One for each choice of where the mails go.
      const query = { where_info, columns: ['id' as const, 'send_to' as const], limit: SEND_TO.length };
      const found = await call('listReservations', { query }, { signal });
      const reserved = unwrap(found).map(({ send_to }) => send_to);
      return reserved.length > 0 && reserved.includes(await sendToOf(order, client));
    },
    enabled: isReservation(order),
    staleTime: 0,
    meta: { quiet: true },
  });
}

/** What use-order-checks holds of an order. */
interface Checks {
  /** The warnings that a person has ticked. */
  readonly acknowledged: readonly Acknowledgement[];
  /** Called when the order was accepted. */
  readonly accept: () => void;
  /** Shows a refusal by its rules. Returns whether it was one. */
  readonly refuse: (failure: ApiFailure) => boolean;
}

/** What follows an order. */
export interface AfterOrder {
  /** Returns the address of a reservation. */
  readonly reservationPath: (id: number) => string;
  readonly onClose: () => void;
  /** Called at the server's answer, because the lists may have changed. @param isAccepted any company gets a mail */
  readonly onTaken: (isAccepted: boolean) => void;
  /** Called with the run of an accepted send, and the end of its undo window. */
  readonly onAccepted: (sendLogId: number, startsAt?: string) => void;
}

interface Parts extends AfterOrder {
  readonly order: SendOrder;
  readonly checks: Checks;
}

/** Sends or reserves an order, and shows the outcome. A refusal keeps the dialog open. */
export function useSendOrder({ order, checks, reservationPath, onClose, onTaken, onAccepted }: Parts) {
  const [busy, setBusy] = useState(false);
  const router = useRouter();

  /** Shows a failure, except the end of a session, which has its own toast. */
  function showProblem(failure: ApiFailure): void {
    if (!checks.refuse(failure) && failure.status !== 401) toast('warning', failure.message);
  }

  function close(isAccepted: boolean): void {
    if (isAccepted) checks.accept();
    onClose();
    onTaken(isAccepted);
  }

  async function send(): Promise<void> {
    const answer = await postMail(order, checks.acknowledged);
    if (!answer.ok) return showProblem(answer);
    const { send_log_id, skipped, starts_at } = answer.data;
    close(send_log_id !== null);
    if (send_log_id === null) toast('warning', sending.nothing + leftOutLine(skipped));
    else {
      if (skipped.length > 0) toast('info', leftOut.skipped(skipped.length));
      onAccepted(send_log_id, starts_at);
    }
  }

  async function reserve(reservation: Reservation): Promise<void> {
    const answer = await postReservation(reservation, checks.acknowledged);
    if (!answer.ok) return showProblem(answer);
    close(answer.data.status !== 'no-added');
    const { id } = answer.data;
    const onShow = () => void (id !== null && router.navigate(reservationPath(id)));
    toastReservation(answer.data, { sendAt: order.sendAt ?? 0, targets: order.targets.length, onShow });
  }

  async function confirm(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    await (isReservation(order) ? reserve(order) : send());
    setBusy(false);
  }

  return { busy, confirm };
}

/** Returns a line with the number of skipped companies and the reasons; '' if none was skipped. */
function leftOutLine(skipped: ReserveAnswer['skipped']): string {
  const reasons = SKIP_REASONS.map((reason) => ({ reason, count: skipped.filter((it) => it.reason === reason).length }))
    .filter(({ count }) => count > 0)
    .map(({ reason, count }) => leftOut.reason(leftOut.reasons[reason], count))
    .join(LIST_SEPARATOR);
  return reasons === '' ? '' : `\n${reserving.skipped(skipped.length, reasons)}`;
}

interface Reserved {
  /** Epoch milliseconds. */
  readonly sendAt: number;
  readonly targets: number;
  /** Opens the reservations. */
  readonly onShow: () => void;
}

/** Shows the result of a reservation with its time, and why companies were left out. */
function toastReservation({ status, skipped, ends_about }: ReserveAnswer, { sendAt, targets, onShow }: Reserved): void {
  const more = leftOutLine(skipped);
  if (status === 'added' || status === 'updated') {
    const at = sentenceTime(sendAt);
    const end = ends_about === undefined ? '' : `\n${reserving.endsAbout(sentenceTime(ends_about))}`;
    const lines = `${reserving[status]}\n${reserving.summary(at, targets - skipped.length)}${end}${more}`;
    toast('success', lines, undefined, { label: reserving.show, run: onShow });
  } else if (skipped.every(({ reason }) => reason === 'reserved')) toast('warning', reserving.already);
  // Companies were left out for other reasons, which the toast lists.
  else
    toast(
      'warning',
      (skipped.some(({ reason }) => reason === 'reserved') ? reserving.already : reserving.nothing) + more,
    );
}
