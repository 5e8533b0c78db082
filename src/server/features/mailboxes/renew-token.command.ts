import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { Problem } from '../../platform/problem.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type Mailbox, type MailboxKey, openMailbox, readMailbox, sealMailbox } from './mailbox.queries.ts';
import { loseMailbox } from './mailbox-state.command.ts';
import { type OAuthAppKey, openOAuthApp, readOAuthApp, setOAuthAppFault } from './oauth-app.queries.ts';
import { type OAuthApp, type OAuthProvider, refreshTokens, type TokenRefusal, type Tokens } from './oauth-provider.ts';

/*
 * One process at a time asks for a new access token: the others use the former one while it is valid, else they wait.
 * All times are the database's, so that a machine whose clock is wrong uses no dead token.
 */

/** How long one process asks. A failed one keeps the lease, so that the next try comes after it. */
const LEASE_SECONDS = 30;
/** How long nobody asks again where the provider refuses the registration. */
const APP_REST_SECONDS = 600;
const TRIES = 3;
const RETRY_MS = 500;
/** A token is renewed before its end: this long, and for short lives a third of them. */
const EARLY_SECONDS = 300;
const WAIT_MS = 15_000;
const POLL_MS = 250;

interface Services {
  readonly secrets: Secrets;
  readonly outbound: Outbound;
}

type NoToken = 'wait' | 'lost' | 'unknown_key';

/** A row as it stands, and the seconds until its token and its lease end; null: none. */
type Standing = Mailbox & { readonly left: number | null; readonly leased: number | null };

/**
 * Returns an access token of a mailbox that is valid now, and renews it where it ends soon.
 * @returns wait: another process asks, the provider does not answer, or the mailbox has changed
 */
export async function accessTokenOf(
  services: Services,
  account: AccountDb,
  { id, version }: Pick<Mailbox, 'id' | 'version'>,
): Promise<{ readonly accessToken: string } | NoToken> {
  const key = { accountId: account.id, id };
  for (let waited = 0; ; waited += POLL_MS) {
    const mailbox = await account.snapshot((tx) => readStanding(tx, key));
    const held = tokensIn(services.secrets, mailbox, version);
    if (typeof held === 'string') return held;
    const { accessToken, left, isDue } = held;
    if (!isDue) return { accessToken };
    const lease = await takeLease(account, held.mailbox);
    if (lease !== null) {
      const renewed = await renew(services, account, { ...held, lease });
      return renewed === 'wait' && left > 0 ? { accessToken } : renewed;
    }
    if (left > 0) return { accessToken };
    // A lease that was taken since this transaction began seems longer than it is; a rest is far longer.
    if (waited >= WAIT_MS || (held.mailbox.leased ?? 0) > 2 * LEASE_SECONDS) return 'wait';
    await sleep(POLL_MS);
  }
}

/** Returns the tokens of a row with the seconds of the access token, or why none can be used. */
function tokensIn(secrets: Secrets, mailbox: Standing | undefined, version: number) {
  if (!mailbox || mailbox.secret === null) return 'lost';
  if (mailbox.version !== version) return 'wait';
  const opened = openMailbox(secrets, mailbox);
  if (opened instanceof Problem) return 'unknown_key';
  if (opened === null || 'password' in opened) return 'lost';
  const left = mailbox.left ?? 0;
  return { ...opened, mailbox, left, isDue: left <= Math.min(EARLY_SECONDS, opened.life / 3) };
}

async function readStanding(tx: Tx, key: MailboxKey): Promise<Standing | undefined> {
  const mailbox = await readMailbox(tx, key);
  if (!mailbox) return undefined;
  const { token_expires_at, token_lease_until } = mailbox;
  const { rows } = await sql<Pick<Standing, 'left' | 'leased'>>`
    SELECT extract(epoch FROM ${token_expires_at}::timestamptz - now())::float8 AS left,
      extract(epoch FROM ${token_lease_until}::timestamptz - now())::float8 AS leased`.execute(tx);
  return { ...mailbox, left: rows[0]?.left ?? null, leased: rows[0]?.leased ?? null };
}

interface Lease {
  readonly id: string;
  /** When the request begins. */
  readonly at: Date;
}

/** Takes the lease of a row that nobody has changed since it was read. @returns null: another process has it */
async function takeLease(account: AccountDb, mailbox: Standing): Promise<Lease | null> {
  if ((mailbox.leased ?? 0) > 0) return null;
  const id = randomUUID();
  return account.transaction(async (tx) => {
    const { rows } = await sql<{ at: Date }>`
      UPDATE mailbox SET token_lease = ${id}, token_lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
      WHERE account_id = ${account.id} AND id = ${mailbox.id} AND version = ${mailbox.version}
        AND secret = ${mailbox.secret} AND (token_lease_until IS NULL OR token_lease_until <= now())
      RETURNING now() AS at`.execute(tx);
    const [row] = rows;
    return row ? { id, ...row } : null;
  });
}

interface Renewal {
  readonly mailbox: Standing;
  readonly lease: Lease;
  readonly refreshToken: string;
}

async function renew(services: Services, account: AccountDb, renewal: Renewal) {
  const { kind, id } = renewal.mailbox;
  const appKey: OAuthAppKey = { accountId: account.id, provider: kind as OAuthProvider };
  const key = { accountId: account.id, id };
  const stored = await account.snapshot((tx) => readOAuthApp(tx, appKey));
  if (!stored) {
    await account.transaction((tx) => loseMailbox(tx, key, '提供元での登録がありません'));
    return 'lost';
  }
  const app = openOAuthApp(services.secrets, stored);
  if (app instanceof Problem) return 'unknown_key';
  const answer = await askTimes(services.outbound, app, renewal.refreshToken);
  return account.transaction(async (tx) => {
    if ('accessToken' in answer) {
      if (stored.fault !== null) await setOAuthAppFault(tx, appKey, null);
      return store(tx, services.secrets, renewal, answer);
    }
    const { refused, code } = answer;
    if (refused === 'other') return 'wait';
    if (refused === 'app') {
      await setOAuthAppFault(tx, appKey, code);
      await restLease(tx, renewal);
      return 'wait';
    }
    // A consent given meanwhile is another one.
    if (!(await isSame(tx, renewal.mailbox))) return 'wait';
    await loseMailbox(tx, key, code);
    return 'lost';
  });
}

/** Asks up to three times, because a provider's hiccup would make the mailbox's mails wait. */
async function askTimes(outbound: Outbound, app: OAuthApp, refreshToken: string): Promise<Tokens | TokenRefusal> {
  for (let tries = 1; ; tries += 1) {
    const answer = await refreshTokens(outbound, app, refreshToken);
    if ('accessToken' in answer || answer.refused !== 'other' || tries === TRIES) return answer;
    await sleep(RETRY_MS * tries);
  }
}

/** Stores new tokens, for the version that they were asked for: a new refresh token also after the end of the lease. */
async function store(
  tx: Tx,
  secrets: Secrets,
  { mailbox, lease, refreshToken: former }: Renewal,
  { accessToken, life, refreshToken = former }: Tokens,
) {
  const key = { accountId: mailbox.account_id, id: mailbox.id };
  const sealed = await sealMailbox(tx, secrets, key, { refreshToken, accessToken, life });
  if (sealed instanceof Problem) return 'unknown_key';
  const isNew = refreshToken !== former;
  const { rows } = await sql`
    UPDATE mailbox SET secret = ${sealed.secret}, secret_key = ${sealed.secret_key},
      token_expires_at = ${lease.at}::timestamptz + make_interval(secs => ${life}),
      token_lease = NULL, token_lease_until = NULL
    WHERE account_id = ${key.accountId} AND id = ${key.id} AND version = ${mailbox.version} AND secret IS NOT NULL
      AND (${isNew} OR token_lease = ${lease.id})
    RETURNING 1`.execute(tx);
  return rows.length === 0 ? 'wait' : { accessToken };
}

const restLease = (tx: Tx, { mailbox, lease }: Renewal) =>
  sql`
    UPDATE mailbox SET token_lease_until = now() + make_interval(secs => ${APP_REST_SECONDS})
    WHERE account_id = ${mailbox.account_id} AND id = ${mailbox.id} AND token_lease = ${lease.id}`.execute(tx);

async function isSame(tx: Tx, { account_id: accountId, id, version, secret }: Standing): Promise<boolean> {
  const now = await readMailbox(tx, { accountId, id });
  return now?.version === version && now.secret !== null && secret !== null && now.secret.equals(secret);
}
