import { sendGridTransport } from '../features/delivery/transports/sendgrid/sendgrid-transport.ts';
import { smtpTransport } from '../features/delivery/transports/smtp/smtp-transport.ts';
import type { Transport } from '../features/delivery/transports/transport.ts';
import type { Settings } from '../platform/settings.ts';

/** The transports, each made from its own settings; null where they are not set. */
const TRANSPORTS: readonly ((settings: Settings) => Transport | null)[] = [
  ({ sendgrid }) => sendgrid && sendGridTransport(sendgrid),
  ({ smtp, returnAddress }) => smtp && smtpTransport(smtp, returnAddress),
];

/** Returns the transport that the settings choose; null: none. readSettings refuses settings of two. */
export const chooseTransport = (settings: Settings): Transport | null =>
  TRANSPORTS.map((make) => make(settings)).find((transport) => transport !== null) ?? null;
