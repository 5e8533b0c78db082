import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { OauthApp as OAuthAppRow } from '../../platform/database/db-types.ts';
import { Problem } from '../../platform/problem.ts';
import type { Sealed, SealedRow, Secrets } from '../../platform/secrets/secrets.ts';
import type { OAuthApp, OAuthProvider } from './oauth-provider.ts';

export interface OAuthAppKey {
  readonly accountId: number;
  readonly provider: OAuthProvider;
}

/** An account's registration at a provider, as it is stored. */
export type StoredOAuthApp = Omit<Selectable<OAuthAppRow>, 'provider'> & { readonly provider: OAuthProvider };

export const readOAuthApp = async (db: Db, { accountId, provider }: OAuthAppKey): Promise<StoredOAuthApp | undefined> =>
  // The cast is safe: a CHECK has the same providers.
  (await db
    .selectFrom('oauth_app')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('provider', '=', provider)
    .executeTakeFirst()) as StoredOAuthApp | undefined;

const rowOf = ({ accountId, provider }: OAuthAppKey): SealedRow => ({
  accountId,
  row: accountId,
  kind: `oauth_${provider}`,
});

/** Seals a registration's secret, in the transaction that stores it. @returns 503 without a key */
export const sealOAuthApp = (
  tx: Tx,
  secrets: Secrets,
  key: OAuthAppKey,
  clientSecret: string,
): Promise<Sealed | Problem> => secrets.seal(tx, rowOf(key), Buffer.from(clientSecret));

/** Opens a registration. @returns 503 without its key */
export function openOAuthApp(secrets: Secrets, stored: StoredOAuthApp): OAuthApp | Problem {
  const { account_id: accountId, provider, client_id: clientId, tenant } = stored;
  const secret = secrets.open(rowOf({ accountId, provider }), stored);
  return secret instanceof Problem ? secret : { provider, clientId, tenant, clientSecret: secret.toString() };
}

/** Stores why a provider refuses a registration, or that it does no longer. */
export const setOAuthAppFault = (tx: Tx, { accountId, provider }: OAuthAppKey, fault: string | null) =>
  tx
    .updateTable('oauth_app')
    .set({ fault })
    .where('account_id', '=', accountId)
    .where('provider', '=', provider)
    .execute();
