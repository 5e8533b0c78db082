import type { TransportLanes } from '#server/features/delivery/transports/transport.ts';

/** Lanes that accept every mail as a mail server would, and send nothing. */
export const discardLanes: TransportLanes = {
  mostMails: 1,
  mailsWith: () => 1,
  openLane: () => ({ send: async () => [{ kind: 'sent', reply: '250 OK' }], close() {} }),
};
