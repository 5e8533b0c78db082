import { hash } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { type SqlBool, sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { authorizedMailbox } from '#contract/senders/oauth-apps.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { MINUTE_MS } from '#domain/time-units.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import type { UrlOf } from '../../platform/http/hosts.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { noSecretKey } from '../../platform/secrets/secrets.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hashOf, newSecret } from '../auth/secret.ts';
import { requeueBoxMails } from '../delivery/boxes/change-box.command.ts';
import { type Mailbox, type MailboxKey, readMailbox, sealMailbox } from '../mailboxes/mailbox.queries.ts';
import type { MailboxServices } from '../mailboxes/mailbox-log-in.ts';
import { lockBox, UNPAUSED } from '../mailboxes/mailbox-state.command.ts';
import { openOAuthApp, readOAuthApp } from '../mailboxes/oauth-app.queries.ts';
import {
  addressesOf,
  consentUrl,
  exchangeCode,
  type OAuthApp,
  type OAuthProvider,
  type Tokens,
} from '../mailboxes/oauth-provider.ts';
import { redirectUriOf } from '../oidc/registration.queries.ts';
import { changeProblem } from './rights.queries.ts';

export interface ConsentServices extends MailboxServices {
  readonly urlOf: UrlOf;
  readonly log: Pick<FastifyBaseLogger, 'info'>;
  /** Counts consents that an account begins. Returns null, or the seconds to wait. */
  readonly rate: (accountId: number) => number | null;
}

/** How long a person has at the provider. */
const START_MS = 10 * MINUTE_MS;
/** The most consents of a member on their way; of more, the oldest ends. */
const MAX_STARTS = 20;

const failed = () =>
  new Problem(
    'consent_failed',
    'メールボックスをつなげませんでした。もう一度、提供元の画面でメールの利用をすべて許可してください。続くときは、管理者に連絡してください。',
  );

/** Reads a mailbox of Google or Microsoft that the caller may change. @returns 401, 403 or 404 */
async function readConnectable(tx: Tx, account: MemberDb, id: number) {
  const box = await readMailbox(tx, { accountId: account.id, id });
  if (!box) return notFound();
  const { kind } = box;
  return (await changeProblem(tx, account, box)) ?? (kind === 'smtp' ? notFound() : { ...box, kind });
}

/**
 * Begins a consent: keeps what its return is checked by, for the member who began it.
 * @returns the provider's page; 401, 403, 404, 409, 429 or 503
 */
export async function beginConsent(
  { secrets, urlOf, now, rate }: ConsentServices,
  account: MemberDb,
  id: number,
): Promise<{ readonly url: string } | Problem> {
  const redirectUri = redirectUriOf(urlOf(account.id));
  const seconds = rate(account.id);
  if (seconds !== null) {
    return new Problem('too_many_checks', '許可の画面を開いた回数が多すぎます。1分ほど待ってください。', seconds);
  }
  const state = newSecret();
  const verifier = newSecret();
  return account.transaction(async (tx) => {
    const box = await readConnectable(tx, account, id);
    if (box instanceof Problem) return box;
    if (!secrets.hasKey) return noSecretKey();
    if (!isReturnable(redirectUri)) return noHttps(redirectUri);
    const app = await readOAuthApp(tx, { accountId: account.id, provider: box.kind });
    if (!app) return appMissing(box.kind);
    const asked = { redirectUri, state, challenge: hash('sha256', verifier, 'base64url'), address: box.address };
    await endOldStarts(tx, account, now());
    await tx
      .insertInto('oauth_start')
      .values({
        account_id: account.id,
        state_hash: hashOf(state),
        member_id: account.memberId,
        mailbox_id: id,
        redirect_uri: redirectUri,
        verifier,
        expires_at: new Date(now() + START_MS),
      })
      .execute();
    return { url: consentUrl({ ...app, clientId: app.client_id }, asked) };
  });
}

/** Providers return to https alone, but for a machine on which somebody tries it out. */
function isReturnable(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

const noHttps = (redirectUri: string) =>
  new Problem(
    'no_https',
    `このサーバーのURL（${new URL(redirectUri).origin}）が https ではないため、提供元から戻れません。このサーバーの運用担当者に連絡してください。`,
  );

const NAMES: Readonly<Record<OAuthProvider, string>> = { google: 'Google', microsoft: 'Microsoft' };

const appMissing = (provider: OAuthProvider) =>
  new Problem(
    'app_missing',
    `${NAMES[provider]}にKaitakuを登録していません。管理者が「設定」の「メールボックス」で登録すると、つなげます。`,
  );

async function endOldStarts(tx: Tx, { id: accountId, memberId }: MemberDb, now: number): Promise<void> {
  await sql`
    DELETE FROM oauth_start WHERE account_id = ${accountId} AND (expires_at <= ${new Date(now)} OR state_hash IN (
      SELECT state_hash FROM oauth_start WHERE account_id = ${accountId} AND member_id = ${memberId}
      ORDER BY expires_at DESC, state_hash OFFSET ${MAX_STARTS - 1}))`.execute(tx);
}

/** Deletes the consents that nobody has come back from. @param db of the role kaitaku_service */
export async function deleteOldStarts(db: Db): Promise<void> {
  await db
    .deleteFrom('oauth_start')
    .where(sql<SqlBool>`expires_at <= now()`)
    .where(isNotFrozen('account_id'))
    .execute();
}

interface Taken {
  readonly box: Mailbox & { readonly kind: OAuthProvider };
  readonly app: OAuthApp;
  readonly redirectUri: string;
  readonly verifier: string;
  /** When the request begins, by the database's clock. */
  readonly at: Date;
}

/**
 * Ends a consent: exchanges the code, and stores the tokens of the mailbox with the address of who has consented. A
 * check makes it usable.
 * @returns 400 with one answer for all that does not fit, 401, 403, 409 or 503
 */
export async function endConsent(
  services: ConsentServices,
  account: MemberDb,
  { state, code }: { readonly state: string; readonly code: string },
): Promise<CallAnswer<typeof authorizedMailbox> | Problem> {
  const taken = await account.transaction((tx) => take(tx, services, account, state));
  if (taken instanceof Problem) return taken;
  const { app, redirectUri, verifier } = taken;
  const tokens = await exchangeCode(services.outbound, app, { code, redirectUri, verifier });
  const reason = faultOf(tokens);
  if ('refused' in tokens || reason !== null) {
    services.log.info({ account_id: account.id, mailbox_id: taken.box.id, reason }, 'a consent failed');
    return failed();
  }
  const { refreshToken } = tokens;
  const addresses = addressesOf(app, tokens.idToken);
  if (addresses === null || refreshToken === undefined) return failed();
  return account.transaction((tx) => store(tx, services, account, { ...taken, tokens, refreshToken, addresses }));
}

const faultOf = (tokens: Awaited<ReturnType<typeof exchangeCode>>): string | null => {
  if ('refused' in tokens) return tokens.code;
  if (!tokens.mayMail) return 'no_mail_scope';
  return tokens.refreshToken === undefined ? 'no_refresh_token' : null;
};

/** Takes a kept consent, once: for its member alone. */
async function take(
  tx: Tx,
  { secrets, now }: ConsentServices,
  account: MemberDb,
  state: string,
): Promise<Taken | Problem> {
  const start = await tx
    .deleteFrom('oauth_start')
    .where('account_id', '=', account.id)
    .where('member_id', '=', account.memberId)
    .where('state_hash', '=', hashOf(state))
    .where('expires_at', '>', new Date(now()))
    .returning(['mailbox_id', 'redirect_uri', 'verifier', sql<Date>`now()`.as('at')])
    .executeTakeFirst();
  if (!start) return failed();
  const box = await readConnectable(tx, account, start.mailbox_id);
  if (box instanceof Problem) return box;
  const stored = await readOAuthApp(tx, { accountId: account.id, provider: box.kind });
  if (!stored) return failed();
  const app = openOAuthApp(secrets, stored);
  if (app instanceof Problem) return app;
  return { box, app, redirectUri: start.redirect_uri, verifier: start.verifier, at: start.at };
}

interface Granted extends Taken {
  readonly tokens: Tokens;
  readonly refreshToken: string;
  readonly addresses: readonly string[];
}

/** Reads all again: the provider may have answered slowly. */
async function store(tx: Tx, { secrets }: ConsentServices, account: MemberDb, granted: Granted) {
  const { box: before, app, tokens, refreshToken, addresses, at } = granted;
  const key: MailboxKey = { accountId: account.id, id: before.id };
  await lockBox(tx, key);
  const box = await readConnectable(tx, account, before.id);
  if (box instanceof Problem) return box;
  const current = await readOAuthApp(tx, { accountId: account.id, provider: app.provider });
  if (box.kind !== app.provider || current?.client_id !== app.clientId) return failed();
  if (!addresses.some((address) => addressKey(address) === addressKey(box.address))) {
    return otherAddress(box.address, addresses);
  }
  const { accessToken, life } = tokens;
  const sealed = await sealMailbox(tx, secrets, key, { refreshToken, accessToken, life });
  if (sealed instanceof Problem) return sealed;
  const { version } = await tx
    .updateTable('mailbox')
    .set((eb) => ({
      ...sealed,
      token_expires_at: sql<Date>`${at}::timestamptz + make_interval(secs => ${life})`,
      token_lease: null,
      token_lease_until: null,
      state: 'unchecked',
      checked_at: null,
      version: eb('version', '+', 1),
    }))
    .where('account_id', '=', key.accountId)
    .where('id', '=', key.id)
    .returning('version')
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('mailbox_state')
    .set({ ...UNPAUSED, login_refusals: 0, last_fault: null, read_fault: null })
    .where('account_id', '=', key.accountId)
    .where('mailbox_id', '=', key.id)
    .execute();
  await requeueBoxMails(tx, key);
  const detail = { mailbox_id: key.id, address: box.address, fields: ['consent'] };
  await recordAudit(tx, { accountId: key.accountId, memberId: account.memberId, kind: 'mailbox_changed', detail });
  return { status: 'connected' as const, id: key.id, address: box.address, version };
}

const otherAddress = (wanted: string, [found = '別のアドレス']: readonly string[]) =>
  new Problem(
    'other_address',
    `${found} の許可を受け取りましたが、つなぐのは ${wanted} です。${wanted} でサインインし直してください。`,
  );
