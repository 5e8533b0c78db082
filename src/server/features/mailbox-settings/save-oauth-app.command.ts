import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { getOAuthApp, updateOAuthApp } from '#contract/senders/oauth-apps.ts';
import { microsoftTenant } from '#domain/account/company-identity.ts';
import { isDomainName } from '#domain/dns/domain-name.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile, contentVersion, isStale } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { noSecretKey, type Secrets } from '../../platform/secrets/secrets.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requeueBoxMails } from '../delivery/boxes/change-box.command.ts';
import { loseMailbox, noteBoxMails } from '../mailboxes/mailbox-state.command.ts';
import { type OAuthAppKey, readOAuthApp, type StoredOAuthApp, sealOAuthApp } from '../mailboxes/oauth-app.queries.ts';
import { opened, readRegistration, type StoredRegistration } from '../oidc/registration.queries.ts';
import { adminProblem } from '../rights/not-allowed.ts';

type Body = z.output<(typeof updateOAuthApp)['body']>;
type Info = Body['update_info'];

/** A registration as an admin wants it; no secret: the stored one. */
interface Wanted {
  readonly client_id: string;
  readonly tenant: string | null;
  readonly secret: string | undefined;
}

/** Returns the content that admins edit; the sealed secret stands for the one that nobody sees. */
const contentOf = (stored: StoredOAuthApp | undefined) =>
  stored === undefined
    ? null
    : { client_id: stored.client_id, tenant: stored.tenant, secret: stored.secret.toString('base64') };

const isSameClient = (one: Omit<Wanted, 'secret'>, other: Omit<Wanted, 'secret'>): boolean =>
  one.client_id === other.client_id && one.tenant === other.tenant;

/** Returns the registration of the company's log-in, if it is at the same provider. */
async function logInAt(tx: Tx, { accountId, provider }: OAuthAppKey): Promise<StoredRegistration | null> {
  const stored = await readRegistration(tx, { accountId });
  return stored?.provider === provider ? stored : null;
}

export async function showOAuthApp(
  tx: Tx,
  key: OAuthAppKey,
  redirect_uri: string,
): Promise<CallAnswer<typeof getOAuthApp>> {
  const stored = await readOAuthApp(tx, key);
  const logIn = await logInAt(tx, key);
  const { count } = await tx
    .selectFrom('mailbox')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', key.accountId)
    .where('kind', '=', key.provider)
    .where('secret', 'is not', null)
    .executeTakeFirstOrThrow();
  return {
    registration: stored ? { client_id: stored.client_id, tenant: stored.tenant, fault: stored.fault } : null,
    redirect_uri,
    log_in: logIn && { client_id: logIn.client_id, tenant: microsoftTenant(logIn.issuer) },
    mailboxes: Number(count),
    version: contentVersion(contentOf(stored)),
  };
}

/**
 * Saves an account's registration at a provider. Consents belong to a client: those of another one end.
 * @returns 400, 401, 403, 409 or 503
 */
export const saveOAuthApp = (
  account: MemberDb,
  secrets: Secrets,
  key: OAuthAppKey,
  { version, update_info: info }: Body,
): Promise<{ readonly status: 'updated' } | Problem> =>
  account.transaction(async (tx) => {
    await lockAccount(tx, account.id);
    const refused = (await adminProblem(tx, account)) ?? (secrets.hasKey ? null : noSecretKey());
    if (refused) return refused;
    const stored = await readOAuthApp(tx, key);
    if (isStale(version, contentOf(stored))) return changedMeanwhile('oauth_app_changed', {});
    const wanted = info.as_log_in === 1 ? await likeLogIn(tx, secrets, key) : wantedOf(key, info);
    if (wanted instanceof Problem) return wanted;
    const isSame = stored !== undefined && isSameClient(stored, wanted);
    if (isSame && wanted.secret === undefined) return { status: 'updated' };
    if (!isSame && wanted.secret === undefined) return secretNeeded();
    const problem = await store(tx, secrets, key, wanted);
    if (problem) return problem;
    if (stored !== undefined) await (isSame ? askAgain(tx, key) : endConsents(tx, key));
    const { client_id, secret } = wanted;
    const detail = { provider: key.provider, client_id, secret_changed: secret !== undefined };
    await recordAudit(tx, { accountId: account.id, memberId: account.memberId, kind: 'oauth_app_changed', detail });
    return { status: 'updated' };
  });

const secretNeeded = () =>
  fieldProblem('update_info.secret', 'client_secret_needed', 'クライアントシークレットを入力してください');

/** Reads the registration of the log-in with its secret. */
async function likeLogIn(tx: Tx, secrets: Secrets, key: OAuthAppKey): Promise<Wanted | Problem> {
  const stored = await logInAt(tx, key);
  if (stored === null) {
    return new Problem(
      'company_log_in_off',
      '会社のIDでのログインに、同じ提供元の登録がありません。クライアントIDとシークレットを入力してください。',
    );
  }
  const registration = opened(secrets, stored);
  if (registration instanceof Problem) return registration;
  const { client_id, client_secret: secret, issuer } = registration;
  return { client_id, tenant: microsoftTenant(issuer), secret };
}

const TENANT_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

function wantedOf({ provider }: OAuthAppKey, { client_id = '', tenant, secret }: Info): Wanted | Problem {
  if (provider === 'google') {
    return tenant === undefined
      ? { client_id, tenant: null, secret }
      : fieldProblem('update_info.tenant', 'invalid_input', 'Googleにテナントはありません');
  }
  const name = (tenant ?? '').toLowerCase();
  const isOne = TENANT_ID.test(name)
    ? microsoftTenant(`https://login.microsoftonline.com/${name}/v2.0`) !== null
    : name.includes('.') && isDomainName(name);
  if (isOne) return { client_id, tenant: name, secret };
  const message = '1つの会社のテナントIDか、テナントのドメインを入力してください（common などは使えません）';
  return fieldProblem('update_info.tenant', 'invalid_input', message);
}

async function store(tx: Tx, secrets: Secrets, key: OAuthAppKey, wanted: Wanted): Promise<Problem | null> {
  const { client_id, tenant, secret = '' } = wanted;
  const sealed = await sealOAuthApp(tx, secrets, key, secret);
  if (sealed instanceof Problem) return sealed;
  const row = { client_id, tenant, ...sealed, fault: null };
  await tx
    .insertInto('oauth_app')
    .values({ account_id: key.accountId, provider: key.provider, ...row })
    .onConflict((conflict) => conflict.columns(['account_id', 'provider']).doUpdateSet(row))
    .execute();
  return null;
}

/** Selects the mailboxes that a member has connected by the registration. */
const connectedBy = (tx: Tx, { accountId, provider }: OAuthAppKey) =>
  tx
    .selectFrom('mailbox')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', provider)
    .where('secret', 'is not', null)
    .orderBy('id')
    .execute();

/** Lets mailboxes ask for tokens at once: the provider may have refused the former secret. */
async function askAgain(tx: Tx, key: OAuthAppKey): Promise<void> {
  await tx
    .updateTable('mailbox')
    .set({ token_lease: null, token_lease_until: null })
    .where('account_id', '=', key.accountId)
    .where('kind', '=', key.provider)
    .execute();
  for (const { id } of await connectedBy(tx, key)) await noteBoxMails(tx, { accountId: key.accountId, id });
}

/** Ends the consents that were given to another client. Their mailboxes must be connected again. */
async function endConsents(tx: Tx, { accountId, provider }: OAuthAppKey): Promise<void> {
  for (const { id } of await connectedBy(tx, { accountId, provider })) {
    await loseMailbox(tx, { accountId, id }, '提供元での登録が変わりました');
    await tx
      .updateTable('mailbox')
      .set((eb) => ({
        state: 'reconnect',
        secret: null,
        secret_key: null,
        token_expires_at: null,
        token_lease: null,
        token_lease_until: null,
        version: eb('version', '+', 1),
      }))
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
    await requeueBoxMails(tx, { accountId, id });
  }
}
