import {
  cancelReservation as cancelCall,
  listReservations as listCall,
  reserve as reserveCall,
} from '#contract/reservation.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { TransportTemplates } from '../delivery/transports/transport.ts';
import { cancelReservation } from './cancel.command.ts';
import { listReservations } from './reservation-list.queries.ts';
import { reserve } from './reserve.command.ts';

interface Parts {
  readonly now: () => number;
  readonly transport: TransportTemplates;
}

export function addReservationRoutes(addRoute: AddRoute, { now, transport }: Parts): void {
  addRoute(listCall, ({ query, account }) => listReservations(account, query));
  addRoute(reserveCall, ({ body, account }) => reserve(account, body, now(), transport));
  addRoute(cancelCall, ({ params, account }) => cancelReservation(account, params.id));
}
