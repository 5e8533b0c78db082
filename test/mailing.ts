import { smtpTemplates } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import type { TransportTemplates } from '#server/features/delivery/transports/transport.ts';
import type { Mailing } from '#server/features/runs/prepare-run.ts';
import type { AccountHosts } from '#server/platform/http/hosts.ts';
import { LEGAL_PROFILE } from './prospects.ts';

/** The address of the web client. */
export const PUBLIC_URL = 'https://kaitaku.example.jp';
/** The legal details of a run by a tenant of prospects.ts. */
export const RUN_LEGAL = { ...LEGAL_PROFILE, public_url: PUBLIC_URL };

/** Returns what rendering mails of runs needs besides the database. */
export const mailingBy = (transport: TransportTemplates): Mailing => ({
  transport,
  urlOf: () => PUBLIC_URL,
  leavesMachine: true,
});

export const TEST_MAILING = mailingBy(smtpTemplates);

/** Removes the footer of the profile in prospects.ts from a text or HTML body. */
export const withoutFooter = (body = ''): string =>
  body.replace(/\n*-{60}\n送信者: 株式会社見本\n[^<]*$/, '').replace(/<span style="display:block;.*?<\/span>\n?/s, '');

/** The hosts of an installation whose accounts have no own host. */
export const noAccountHosts = (publicUrl: string): AccountHosts => ({
  accountOf: () => null,
  movedFrom: () => null,
  livesAt: () => null,
  urlOf: () => publicUrl,
  isHome: () => true,
});
