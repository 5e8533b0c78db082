import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type { checkOidc, finishOidc } from '#contract/account/oidc.ts';
import type { CallAnswer } from '#contract/call.ts';
import { type Claims, provenAddress } from '#domain/account/company-identity.ts';
import { MINUTE_MS } from '#domain/time-units.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { accountFrozen, isNotFrozen } from '../../platform/database/frozen.ts';
import type { AccountHosts } from '../../platform/http/hosts.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { Problem } from '../../platform/problem.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { enterByCompany } from '../auth/company/enter-by-company.command.ts';
import { otherHost } from '../auth/log-in.command.ts';
import { hashOf } from '../auth/secret.ts';
import { authorizationUrl, claimsOf, failureCode, type Kept } from './provider.ts';
import type { InPlace } from './provider-places.ts';
import {
  isSameClient,
  loginLinkOf,
  opened,
  readRegistration,
  redirectUriOf,
  type StoredRegistration,
} from './registration.queries.ts';

export interface LogInServices {
  /** A pool of the role kaitaku_login. */
  readonly login: Db;
  readonly now: () => number;
  readonly secrets: Secrets;
  readonly outbound: Outbound;
  readonly accountHosts: AccountHosts;
  readonly log: Pick<FastifyBaseLogger, 'info'>;
  readonly inPlace: InPlace;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
}

/** Names the account of a log-in: by the key of its link, else by its own host. */
interface Place {
  readonly key?: string | undefined;
  /** The host of the request. */
  readonly host: string;
}

/** How long a person has at the provider. */
const START_MS = 10 * MINUTE_MS;
/** The most log-ins of an account on their way; of more, the oldest ends. */
const MAX_STARTS = 1000;

/** One answer for all that fails, so that it tells nothing about the account. */
const failed = () =>
  new Problem(
    'oidc_failed',
    '会社のIDでログインできませんでした。ログイン画面から、もう一度お試しください。続くときは、管理者に連絡してください。',
  );

const noMember = () =>
  new Problem('no_member', 'この会社のIDに合うメンバーがいません。管理者に招待を依頼してください。');

async function activeAt(
  { login, accountHosts }: LogInServices,
  { key, host }: Place,
): Promise<StoredRegistration | null> {
  const accountId = accountHosts.accountOf(host);
  if (key === undefined && accountId === null) return null;
  const found = await readRegistration(login, key === undefined ? { accountId: accountId ?? 0 } : { key });
  return found?.active ? found : null;
}

/**
 * Returns which button a log-in page shows. That of a link names its company: somebody may have sent the link of an
 * account of their own.
 */
export async function readProvider(services: LogInServices, place: Place): Promise<CallAnswer<typeof checkOidc>> {
  const stored = await activeAt(services, place);
  if (stored === null) return { provider: null, company: null };
  const { provider, account_id } = stored;
  return { provider, company: place.key === undefined ? null : await companyOf(services, account_id) };
}

/** Reads as the account: kaitaku_login sees no names. */
const companyOf = ({ accountDb }: LogInServices, accountId: number): Promise<string | null> =>
  accountDb(accountId, null).snapshot(async (tx) => {
    const account = await tx.selectFrom('account').select('company').where('id', '=', accountId).executeTakeFirst();
    return account?.company ?? null;
  });

async function isFrozen(login: Db, accountId: number): Promise<boolean> {
  const account = await login
    .selectFrom('account')
    .select('frozen_at')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return account.frozen_at !== null;
}

/**
 * Begins a log-in: keeps what its return is checked by, for the tab alone that began it.
 * @returns the provider's page; 400, 409 at another host than the account's, 503
 */
export async function startLogIn(
  services: LogInServices,
  { browser, ...place }: Place & { readonly browser: string },
): Promise<{ readonly url: string } | Problem> {
  const { login, accountHosts, secrets, outbound, log, inPlace } = services;
  const stored = await activeAt(services, place);
  if (stored === null) return failed();
  const accountId = stored.account_id;
  const home = accountHosts.urlOf(accountId);
  if (!accountHosts.isHome(accountId, place.host)) return otherHost(loginLinkOf(home, stored));
  if (await isFrozen(login, accountId)) return accountFrozen();
  const registration = opened(secrets, stored);
  if (registration instanceof Problem) return registration;
  try {
    const begun = await inPlace(accountId, () => authorizationUrl(outbound, registration, redirectUriOf(home)));
    if (begun instanceof Problem) return begun;
    const { url, ...kept } = begun;
    await keep(login, { accountId, browser, kept, now: services.now() });
    return { url };
  } catch (error) {
    log.info({ account_id: accountId, reason: failureCode(error) }, 'a company log-in could not begin');
    return failed();
  }
}

async function keep(
  login: Db,
  { accountId, browser, kept, now }: { accountId: number; browser: string; kept: Kept; now: number },
): Promise<void> {
  await sql`
    DELETE FROM oidc_start WHERE account_id = ${accountId} AND ${isNotFrozen('oidc_start.account_id')}
      AND state_hash IN (
        SELECT state_hash FROM oidc_start WHERE account_id = ${accountId}
        ORDER BY expires_at DESC, state_hash OFFSET ${MAX_STARTS - 1})`.execute(login);
  const row = [accountId, hashOf(kept.state), kept.nonce, kept.verifier, hashOf(browser), new Date(now + START_MS)];
  await sql`
    INSERT INTO oidc_start (account_id, state_hash, nonce, verifier, browser_hash, expires_at)
    SELECT ${sql.join(row)} FROM account WHERE account.id = ${accountId} AND account.frozen_at IS NULL`.execute(login);
}

interface Returned {
  readonly state: string;
  readonly code: string;
  readonly iss?: string | undefined;
  readonly browser: string;
  readonly host: string;
  readonly ip: string;
  readonly agent: string | undefined;
}

type Finished = CallAnswer<typeof finishOidc> | Problem;

/**
 * Ends a log-in: exchanges the code, and opens a session for the active member with the proven address.
 * @returns 400 with one answer for all that does not fit, 400 without a member, 503
 */
export async function finishLogIn(services: LogInServices, returned: Returned): Promise<Finished> {
  const started = await services.login
    .selectFrom('oidc_start')
    .select('account_id')
    .where('state_hash', '=', hashOf(returned.state))
    .executeTakeFirst();
  if (!started) return failed();
  const accountId = started.account_id;
  // A refusal for want of a place does not use the state up.
  return services.inPlace(accountId, () => finishOf(services, accountId, returned));
}

async function finishOf(services: LogInServices, accountId: number, returned: Returned): Promise<Finished> {
  const { login, accountHosts, secrets, outbound, log } = services;
  const kept = await take(login, accountId, returned, services.now());
  if (kept instanceof Problem) return kept;
  if (!accountHosts.isHome(accountId, returned.host)) return failed();
  const stored = await readRegistration(login, { accountId });
  if (!stored?.active) return failed();
  const registration = opened(secrets, stored);
  if (registration instanceof Problem) return registration;
  const url = new URL(redirectUriOf(accountHosts.urlOf(accountId)));
  const { code, state, iss } = returned;
  for (const [name, value] of Object.entries({ code, state, iss }))
    if (value !== undefined) url.searchParams.set(name, value);
  let claims: Claims;
  try {
    claims = await claimsOf(outbound, registration, { returned: url, kept });
  } catch (error) {
    log.info({ account_id: accountId, reason: failureCode(error) }, 'a company log-in failed');
    return failed();
  }
  const address = provenAddress(stored, claims);
  if (address === null) return noMember();
  // The provider may have answered slowly, and an admin has changed the registration meanwhile.
  const proofProblem = async (tx: Tx) => {
    const current = await readRegistration(tx, { accountId });
    const isValid = current?.active && isSameClient(current, stored) && provenAddress(current, claims) === address;
    return isValid ? null : failed();
  };
  return (await enterByCompany(services, { accountId, address, proofProblem }, returned)) ?? noMember();
}

/** Takes a kept log-in, once: for its tab alone. @returns 400 for an unknown, expired, used or foreign state, 503 */
async function take(login: Db, accountId: number, { state, browser }: Returned, now: number): Promise<Kept | Problem> {
  if (await isFrozen(login, accountId)) return accountFrozen();
  const taken = await login
    .deleteFrom('oidc_start')
    .where('account_id', '=', accountId)
    .where('state_hash', '=', hashOf(state))
    .where('browser_hash', '=', hashOf(browser))
    .where('expires_at', '>', new Date(now))
    .where(isNotFrozen('account_id'))
    .returning(['nonce', 'verifier'])
    .executeTakeFirst();
  return taken ? { state, ...taken } : failed();
}
