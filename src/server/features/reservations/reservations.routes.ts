/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   reservation: announce_reservation → NOTIFY
 *   reservation: notice_of_miss → notice_event
 */
import {
  cancelReservation as cancelCall,
  listReservations as listCall,
  reserve as reserveCall,
} from '#contract/reservations.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { Mailing } from '../runs/prepare-run.ts';
import { cancelReservation, reserve } from './reservation.command.ts';
import { listReservations } from './reservation-list.queries.ts';

interface Parts extends Mailing {
  readonly now: () => number;
}

export function addReservationRoutes(addRoute: AddRoute, { now, ...mailing }: Parts): void {
  addRoute(listCall, ({ query, account }) => listReservations(account, query));
  addRoute(reserveCall, ({ body, account }) => reserve(account, body, now(), mailing));
  addRoute(cancelCall, ({ params, account }) => cancelReservation(account, params.id));
}
