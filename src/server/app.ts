import type { KeyObject } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  ACCOUNT_REQUESTS_PER_MINUTE,
  MEMBER_REQUESTS_PER_MINUTE,
  VISITOR_REQUESTS_PER_MINUTE,
} from '#domain/limits.ts';
import { addApiReference } from './api-reference/api-reference.routes.ts';
import { addAccountRoutes } from './features/account/account.routes.ts';
import { addAttackListRoutes } from './features/attack-list/attack-list.routes.ts';
import { addAuditRoutes } from './features/audit/audit.routes.ts';
import { addAuthRoutes } from './features/auth/auth.routes.ts';
import { authenticateWith } from './features/auth/session.ts';
import { addCompanyRoutes } from './features/companies/companies.routes.ts';
import type { TransportLanes, TransportTemplates } from './features/delivery/transports/transport.ts';
import { addDomainHealthRoutes } from './features/domain-health/domain-health.routes.ts';
import { addExportRoutes } from './features/exports/exports.routes.ts';
import { addFieldSettingRoutes } from './features/field-settings/field-settings.routes.ts';
import { addFirstStepsRoutes } from './features/first-steps/first-steps.routes.ts';
import { addHealthRoutes } from './features/health/health.routes.ts';
import { addImportRoutes } from './features/imports/imports.routes.ts';
import { addInboxRoutes } from './features/inbox/inbox.routes.ts';
import { addJobRoutes } from './features/jobs/jobs.routes.ts';
import { addLegalProfileRoutes } from './features/legal-profile/legal-profile.routes.ts';
import { addMailPreviewRoutes } from './features/mail-preview/mail-preview.routes.ts';
import { addMailTemplateRoutes } from './features/mail-templates/mail-templates.routes.ts';
import { addMailboxRoutes } from './features/mailbox-settings/mailbox-settings.routes.ts';
import { addOAuthRoutes } from './features/mailbox-settings/oauth.routes.ts';
import {
  addEmailChangeRoutes,
  addPasswordResetRoutes,
  addSenderConfirmationRoutes,
} from './features/mailed-keys/mailed-keys.routes.ts';
import { addMemberRoutes } from './features/members/members.routes.ts';
import { addNoticeRoutes } from './features/notices/notices.routes.ts';
import { addOidcRoutes } from './features/oidc/oidc.routes.ts';
import { addOptOutPage } from './features/opt-out/opt-out.routes.ts';
import { addPersonRoutes } from './features/person-list/person-list.routes.ts';
import { addPersonalDataRoutes } from './features/personal-data/personal-data.routes.ts';
import { addProspectRoutes } from './features/prospects/prospects.routes.ts';
import { addReplyRoutes } from './features/reply-list/reply-list.routes.ts';
import { addReportRoutes } from './features/reports/reports.routes.ts';
import { giveBack } from './features/reservations/give-back.command.ts';
import { addReservationRoutes } from './features/reservations/reservations.routes.ts';
import { addRetentionRoutes } from './features/retention/retention.routes.ts';
import { notAllowed } from './features/rights/not-allowed.ts';
import { addRuleSettingRoutes } from './features/rule-settings/rule-settings.routes.ts';
import { addRunRoutes } from './features/runs/runs.routes.ts';
import { addSavedConditionRoutes } from './features/saved-conditions/saved-conditions.routes.ts';
import { addSendLogRoutes } from './features/send-logs/send-logs.routes.ts';
import { addSenderRoutes } from './features/senders/senders.routes.ts';
import { addSendGridEventRoutes } from './features/sendgrid-events/sendgrid-events.routes.ts';
import { addSetupRoutes } from './features/setup/setup.routes.ts';
import type { StorageLimits } from './features/stored-files/storage-limits.ts';
import { addSuppressionRoutes } from './features/suppression-list/suppression-list.routes.ts';
import { accountDbOf } from './platform/database/account-db.ts';
import type { Db } from './platform/database/db.ts';
import type { AccountHosts, UrlOf } from './platform/http/hosts.ts';
import { type HttpOptions, httpApp } from './platform/http/http-app.ts';
import { inputMessage } from './platform/http/input-messages.ts';
import { requestRate } from './platform/http/request-rate.ts';
import { type AddRoute, type RouteParts, routeAdder } from './platform/http/route.ts';
import { addWebFiles, type PageSettings } from './platform/http/web-files.ts';
import {
  ACCOUNT_LIMITS,
  type AccountLimits,
  limitedAccountDb,
  type MemberDbOf,
} from './platform/limits/account-limits.ts';
import type { MailPath } from './platform/mail/mail-path.ts';
import type { Mailer, SystemSender } from './platform/mail/system-mail.ts';
import type { Outbound } from './platform/outbound/outbound.ts';
import type { Secrets } from './platform/secrets/secrets.ts';

/** Dependencies of the features, besides the account of a request. */
export interface Services {
  /** A pool of the role kaitaku_login, which finds members by address and sessions by token. */
  readonly login: Db;
  /** Seals secrets of members, such as those of the second step. */
  readonly secrets: Secrets;
  /** Reaches servers that members name. */
  readonly outbound: Outbound;
  /** Epoch milliseconds. Leases and due times use the database's clock instead. */
  readonly now: () => number;
  /** Sends the mails of Kaitaku itself, such as confirmations of an address. */
  readonly mailer: Mailer;
  /** The origin of the web client for accounts without their own host, without a trailing slash. */
  readonly publicUrl: string;
  readonly accountHosts: AccountHosts;
  /** The transport of the senders' mails. */
  readonly transport: TransportTemplates;
  /** Sends test mails of templates, which no worker claims. */
  readonly lanes: TransportLanes;
  /** What the DNS of senders' domains must agree with. */
  readonly mailPath: MailPath;
  /** Makes a mailer that sends from another address, by the senders' transport. */
  readonly mailerFrom: (from: SystemSender) => Mailer;
  /** The setting RETURN_ADDRESS: our inbox receives mails to such addresses; null: not set. */
  readonly returnPattern: string | null;
  /** false: all mails stay in the mail catcher. */
  readonly leavesMachine: boolean;
  /** The setting COMPANIES_MAX. */
  readonly companiesMax: number;
  /** The setting PEOPLE_MAX. */
  readonly peopleMax: number;
  /** The storage limits for the files of all accounts. */
  readonly storageLimits: StorageLimits;
  /** The resolvers for senders' domains; none: the system's. */
  readonly dnsServers: readonly string[];
}

interface FeatureServices extends Services {
  readonly urlOf: UrlOf;
  readonly memberDb: MemberDbOf;
}

/** Adds the routes of each feature of the API. */
const features: readonly ((addRoute: AddRoute, services: FeatureServices) => void)[] = [
  addAccountRoutes,
  addEmailChangeRoutes,
  addSenderRoutes,
  addLegalProfileRoutes,
  addDomainHealthRoutes,
  addProspectRoutes,
  addCompanyRoutes,
  addPersonRoutes,
  addFieldSettingRoutes,
  addSavedConditionRoutes,
  addAttackListRoutes,
  // Injected, because the room of runs must not use reservations, which use runs.
  (addRoute, services) => addRunRoutes(addRoute, { ...services, giveBack }),
  addMailPreviewRoutes,
  addSendLogRoutes,
  addReservationRoutes,
  addRuleSettingRoutes,
  addSuppressionRoutes,
  addReplyRoutes,
  addExportRoutes,
  addImportRoutes,
  addJobRoutes,
  addPersonalDataRoutes,
  addRetentionRoutes,
  addFirstStepsRoutes,
  addInboxRoutes,
  addNoticeRoutes,
  addReportRoutes,
  addAuditRoutes,
];

z.config({ customError: inputMessage });

export interface AppOptions extends HttpOptions {
  /** Requests a minute: of a member, of an account, and of a network to public calls. */
  readonly rates?: Readonly<Record<'member' | 'account' | 'visitor', number>>;
  /** An account's limits of database use. */
  readonly accountLimits?: Partial<AccountLimits>;
  /** Settings that the pages of the web client contain. */
  readonly page?: PageSettings;
  /** The public keys of SendGrid's signed events; none: events are refused. */
  readonly eventKeys?: readonly KeyObject[];
}

/** Builds the web application; the caller listens. */
export async function buildApp(
  { api, ...given }: Services & { /** A pool of the role kaitaku_api. */ readonly api: Db },
  { rates = RATES, accountLimits, page = {}, eventKeys = [], stopping = () => false, ...options }: AppOptions = {},
): Promise<FastifyInstance> {
  const services = { ...given, urlOf: given.accountHosts.urlOf };
  const app = await httpApp({ stopping, accountHosts: services.accountHosts, ...options });
  const guessRate = requestRate(rates.visitor, services.now);
  addHealthRoutes(app, { db: api, stopping, accountHosts: services.accountHosts, guessRate });
  addApiReference(app, services);
  const limits = { ...ACCOUNT_LIMITS, ...accountLimits };
  const accountDb = accountDbOf(api, limits.statementMs);
  const memberDb = limitedAccountDb(api, limits);
  const authenticate = authenticateWith(services);
  const addRoute = routeAdder(app, {
    authenticate,
    accountDb: memberDb,
    notAllowed,
    memberRate: memberRate(rates, services.now),
    // A service sends the events of many accounts.
    serviceRate: requestRate(rates.member, services.now),
    visitorRate: requestRate(rates.visitor, services.now),
  });
  for (const addFeature of features) addFeature(addRoute, { ...services, memberDb });
  addAuthRoutes(addRoute, { ...services, log: app.log });
  addPasswordResetRoutes(addRoute, { ...services, accountDb, log: app.log });
  addOidcRoutes(addRoute, { ...services, accountDb, log: app.log });
  addMailTemplateRoutes(addRoute, { ...services, log: app.log });
  addMailboxRoutes(addRoute, { ...services, log: app.log });
  addOAuthRoutes(addRoute, { ...services, log: app.log });
  addSetupRoutes(addRoute, { ...services, accountDb });
  addMemberRoutes(addRoute, { ...services, accountDb, log: app.log });
  addSenderConfirmationRoutes(addRoute, { ...services, accountDb, authenticate });
  addSendGridEventRoutes(addRoute, { now: services.now, accountDb, eventKeys });
  const unknownKeyRate = requestRate(rates.visitor, services.now);
  const { login, now, accountHosts } = services;
  await addOptOutPage(app, { login, now, accountDb, unknownKeyRate, accountHosts });
  await addWebFiles(app, page);
  return app;
}

const RATES = {
  member: MEMBER_REQUESTS_PER_MINUTE,
  account: ACCOUNT_REQUESTS_PER_MINUTE,
  visitor: VISITOR_REQUESTS_PER_MINUTE,
};

/** Counts the requests of each member, and of all members of an account. */
function memberRate({ member, account }: typeof RATES, now: () => number): RouteParts['memberRate'] {
  const [ofMember, ofAccount] = [requestRate(member, now), requestRate(account, now)];
  return ({ accountId, memberId }) => ofMember(`${accountId} ${memberId}`) ?? ofAccount(accountId);
}
