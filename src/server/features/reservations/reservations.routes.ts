/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   reservation: announce_reservation → NOTIFY
 *   reservation: notice_of_miss → notice_event
 */

import { listReservations as listCall, reserve as reserveCall } from '#contract/sending/reservations.ts';
import { sendReservationNow, updateReservation as updateCall } from '#contract/sending/reservations-changes.ts';
import {
  viewReservationCalendar as calendarCall,
  getReservation as detailCall,
  viewReservationTargets as targetsCall,
  viewReservations as viewCall,
} from '#contract/sending/reservations-page.ts';
import { decideRestored as decideCall, getRestored } from '#contract/sending/restored.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { Mailing } from '../runs/prepare-run.ts';
import { viewCalendar } from './calendar.queries.ts';
import { changeReservation } from './change.command.ts';
import { sendNow } from './due.command.ts';
import { viewReservation } from './one-reservation.queries.ts';
import { cancelReservation, reserve } from './reservation.command.ts';
import { listReservations } from './reservation-list.queries.ts';
import { viewReservations, viewTargets } from './reservation-page.queries.ts';
import { countRestored, decideRestored } from './restored.command.ts';

interface Parts extends Mailing {
  readonly now: () => number;
}

export function addReservationRoutes(addRoute: AddRoute, { now, ...mailing }: Parts): void {
  addRoute(listCall, ({ query, account }) => listReservations(account, query));
  addRoute(viewCall, ({ query, account }) => viewReservations(account, query, now()));
  addRoute(calendarCall, ({ query, account }) => viewCalendar(account, query, now()));
  addRoute(detailCall, ({ params, account }) => viewReservation(account, params.id, now()));
  addRoute(targetsCall, ({ params, query, account }) => viewTargets(account, params.id, query, now()));
  addRoute(reserveCall, ({ body, account }) => reserve(account, body, now(), mailing));
  addRoute(updateCall, ({ params, body, account }) =>
    body.update_info.active === 0
      ? cancelReservation(account, params.id)
      : changeReservation(account, params.id, body, now(), mailing),
  );
  addRoute(getRestored, ({ account }) => countRestored(account));
  addRoute(decideCall, ({ body, account }) => decideRestored(account, body.act));
  addRoute(sendReservationNow, ({ params, body, account }) => sendNow(account, params.id, body, now(), mailing));
}
