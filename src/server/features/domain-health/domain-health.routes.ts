/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   domain_check: notice_of_domain → notice_event
 */

import { checkDomainHealth, listDomainHealth, testDomainHealth } from '#contract/senders/domain-health.ts';
import { DOMAIN_CHECKS_PER_MINUTE } from '#domain/limits.ts';
import type { UrlOf } from '../../platform/http/hosts.ts';
import { requestRate } from '../../platform/http/request-rate.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { MailPath } from '../../platform/mail/mail-path.ts';
import type { Mailer, SystemSender } from '../../platform/mail/system-mail.ts';
import { checkOwnDomain } from './check.command.ts';
import { listDomains } from './domain-check.queries.ts';
import { sendDomainTest } from './self-test.command.ts';

interface Services {
  readonly now: () => number;
  readonly urlOf: UrlOf;
  readonly mailPath: MailPath;
  /** false: mails go to the mail catcher. */
  readonly leavesMachine: boolean;
  readonly dnsServers: readonly string[];
  /** The setting RETURN_ADDRESS. */
  readonly returnPattern: string | null;
  readonly mailerFrom: (from: SystemSender) => Mailer;
}

export function addDomainHealthRoutes(
  addRoute: AddRoute,
  { now, urlOf, mailPath, leavesMachine, dnsServers, returnPattern, mailerFrom }: Services,
): void {
  const rate = requestRate(DOMAIN_CHECKS_PER_MINUTE, now);
  const shown = { leavesMachine, canTest: leavesMachine && returnPattern !== null };

  addRoute(listDomainHealth, ({ query, account }) => listDomains(account, query, { ...shown, now: now() }));

  addRoute(checkDomainHealth, ({ body, account }) =>
    checkOwnDomain(account, body.domain, { ...shown, now, rate, urlOf, mailPath, dnsServers }),
  );

  addRoute(testDomainHealth, ({ body, account }) =>
    sendDomainTest(account, body.domain, { ...shown, now, returnPattern, mailerFrom }),
  );
}
