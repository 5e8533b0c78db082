import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { updateOidc } from '#contract/account/oidc.ts';
import { isDomainName } from '#domain/dns/domain-name.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { changedMeanwhile, isStale } from '../../platform/database/content-version.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { limitKey, secondsLeft, takeHourly } from '../../platform/limits/rate-limit.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { noSecretKey, type Secrets } from '../../platform/secrets/secrets.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type Asker, ownerProblem } from '../auth/prove-owner.ts';
import { hashOf } from '../auth/secret.ts';
import { readAdminsToTell } from '../rights/admins.queries.ts';
import { adminProblem } from '../rights/not-allowed.ts';
import { oidcChangedMail } from './mails.ts';
import { discoveryFault, issuerFault } from './provider.ts';
import { contentOf, isSameClient, readRegistration, type StoredRegistration } from './registration.queries.ts';

export interface SaveServices {
  readonly login: Db;
  readonly now: () => number;
  readonly secrets: Secrets;
  readonly mailer: Mailer;
  readonly outbound: Outbound;
  /** Counts questions to providers of an account. Returns null, or the seconds to wait. */
  readonly rate: (accountId: number) => number | null;
}

/** The most changes of an account's registration an hour. */
const SAVES_AN_HOUR = 20;

type Body = z.output<(typeof updateOidc)['body']>;
type Info = Body['update_info'];

/**
 * Saves an account's registration with its provider, and mails all admins: who controls the provider enters as anybody.
 * For the same reason a session alone is not enough. What changes nothing is neither mailed nor audited.
 * @returns 400, 401, 403, 409, 429 or 503
 */
export async function saveRegistration(
  services: SaveServices,
  asker: Asker,
  { version, current_password, update_info }: Body,
): Promise<{ readonly status: 'updated' } | Problem> {
  const info = { ...update_info, domains: [...new Set(update_info.domains.map((name) => addressKey(name.trim())))] };
  const problem =
    contentProblem(info) ??
    (services.secrets.hasKey ? null : noSecretKey()) ??
    (await ownerProblem(services, asker, current_password)) ??
    (info.active === 1 ? await reachProblem(services, asker.account.id, info.issuer) : null);
  if (problem) return problem;
  const saved = await asker.account.transaction(async (tx) => {
    await lockAccount(tx, asker.account.id);
    return (await adminProblem(tx, asker.account)) ?? save(tx, services, asker, { version, info });
  });
  if (saved instanceof Problem) return saved;
  if (saved === null) return { status: 'updated' };
  // The answer does not wait for the mails: the registration is changed even if they fail.
  for (const { email } of saved.admins) void services.mailer(oidcChangedMail(email, asker.account.id, saved));
  return { status: 'updated' };
}

function contentProblem({ provider, issuer, domains }: Info): Problem | null {
  const fault = issuerFault(provider, issuer);
  if (fault !== null) return fieldProblem('update_info.issuer', 'invalid_issuer', fault);
  const wrong = domains.findIndex((name) => !isDomainName(name) || !name.includes('.'));
  if (wrong < 0) return null;
  return fieldProblem(
    `update_info.domains.${wrong}`,
    'invalid_domain',
    `「${domains[wrong]?.slice(0, 50) ?? ''}」は、ドメインとして読み取れません。例：example.co.jp`,
  );
}

async function reachProblem({ outbound, rate }: SaveServices, accountId: number, issuer: string) {
  const seconds = rate(accountId);
  if (seconds !== null) {
    return new Problem(
      'too_many_checks',
      '提供元への問い合わせが多すぎます。1分ほど待ってから、保存してください。',
      seconds,
    );
  }
  const fault = await discoveryFault(outbound, issuer);
  return fault === null ? null : fieldProblem('update_info.issuer', 'invalid_issuer', fault);
}

async function save(
  tx: Tx,
  { secrets, now }: SaveServices,
  { account: { id: accountId, memberId }, token }: Asker,
  { version, info }: { readonly version: string | undefined; readonly info: Info },
) {
  const stored = await readRegistration(tx, { accountId });
  if (isStale(version, contentOf(stored))) return changedMeanwhile('company_log_in_changed', {});
  if (isUnchanged(stored, info)) return null;
  // The off is never refused: it stops who has taken an admin's place, and only a counted save makes another possible.
  const isOff = stored?.active && info.active === 0;
  const tooMany = isOff ? null : await countSave(tx, accountId, now());
  if (tooMany) return tooMany;
  const sealed = await sealedSecret(tx, secrets, { accountId, stored, info });
  if (sealed instanceof Problem) return sealed;
  const { provider, issuer, client_id, domains } = info;
  const row = { ...sealed, provider, issuer, client_id, domains, active: info.active === 1 };
  await tx
    .insertInto('oidc')
    .values({ account_id: accountId, link_key: randomBytes(16), ...row })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
    .execute();
  if (stored !== null && (info.active === 0 || !isSameClient(stored, info))) {
    await endCompanySessions(tx, accountId, token);
  }
  const { client_secret, ...detail } = info;
  const event = { ...detail, secret_changed: client_secret !== undefined };
  await recordAudit(tx, { accountId, memberId, kind: 'oidc_changed', detail: event });
  const toTell = await readAdminsToTell(tx, { accountId, memberId });
  return { ...toTell, issuer, isActive: info.active === 1 };
}

const isUnchanged = (stored: StoredRegistration | null, info: Info): boolean =>
  stored !== null &&
  info.client_secret === undefined &&
  isSameClient(stored, info) &&
  stored.provider === info.provider &&
  stored.active === (info.active === 1) &&
  stored.domains.join() === info.domains.join();

/** Counts a save, of which each is mailed to all admins. @returns 429 */
async function countSave(tx: Tx, accountId: number, now: number): Promise<Problem | null> {
  const key = limitKey('company log-in saved', accountId);
  if (await takeHourly(tx, { key, limit: SAVES_AN_HOUR }, now)) return null;
  const seconds = await secondsLeft(tx, key, now);
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  return new Problem(
    'too_many_checks',
    `会社のIDでのログインの設定の変更が、1時間に${SAVES_AN_HOUR}回に達しました。${minutes}分後に、もう一度お試しください。`,
    seconds,
  );
}

/**
 * Ends the sessions that the former provider opened, except the caller's own. Locks the members first, as a log-in on
 * its way does: it either has opened its session before, or reads the changed registration.
 */
async function endCompanySessions(tx: Tx, accountId: number, exceptToken: string): Promise<void> {
  await tx
    .selectFrom('member')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  await tx
    .deleteFrom('session')
    .where('account_id', '=', accountId)
    .where('way', '=', 'oidc')
    .where('token_hash', '<>', hashOf(exceptToken))
    .execute();
}

/** Seals a new secret, or keeps the stored one: for the same client of the same provider alone. */
async function sealedSecret(
  tx: Tx,
  secrets: Secrets,
  { accountId, stored, info }: { accountId: number; stored: StoredRegistration | null; info: Info },
) {
  const { client_secret } = info;
  if (client_secret !== undefined) {
    return secrets.seal(tx, { accountId, row: accountId, kind: 'oidc' }, Buffer.from(client_secret));
  }
  // Else the secret would be sent to whom somebody else names.
  if (stored !== null && isSameClient(stored, info)) {
    return { secret: stored.secret, secret_key: stored.secret_key };
  }
  return fieldProblem(
    'update_info.client_secret',
    'client_secret_needed',
    'クライアントシークレットを入力してください',
  );
}
