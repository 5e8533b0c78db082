import { checkDomainHealth, listDomainHealth } from '#contract/domain-health.ts';
import { DOMAIN_CHECKS_PER_MINUTE } from '#domain/limits.ts';
import { requestRate } from '../../platform/http/request-rate.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { MailPath } from '../../platform/mail/mail-path.ts';
import { checkOwnDomain } from './check.command.ts';
import { listDomains } from './domain-check.queries.ts';

interface Services {
  readonly now: () => number;
  readonly publicUrl: string;
  readonly mailPath: MailPath;
  /** false: mails go to the mail catcher. */
  readonly leavesMachine: boolean;
  readonly dnsServers: readonly string[];
}

export function addDomainHealthRoutes(
  addRoute: AddRoute,
  { now, publicUrl, mailPath, leavesMachine, dnsServers }: Services,
): void {
  const rate = requestRate(DOMAIN_CHECKS_PER_MINUTE, now);

  addRoute(listDomainHealth, ({ query, account }) => listDomains(account, query, { leavesMachine, now: now() }));

  addRoute(checkDomainHealth, ({ body, account }) =>
    checkOwnDomain(account, body.domain, { now, rate, publicUrl, mailPath, leavesMachine, dnsServers }),
  );
}
