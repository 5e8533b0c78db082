import {
  cancelReservation as cancelCall,
  listReservations as listCall,
  reserve as reserveCall,
} from '#contract/reservation.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { cancelReservation } from './cancel.command.ts';
import { listReservations } from './reservation-list.queries.ts';
import { reserve } from './reserve.command.ts';

export function addReservationRoutes(addRoute: AddRoute, { now }: { now: () => number }): void {
  addRoute(listCall, ({ query, account }) => listReservations(account, query));
  addRoute(reserveCall, ({ body, account }) => reserve(account, body, now()));
  addRoute(cancelCall, ({ params, account }) => cancelReservation(account, params.id));
}
