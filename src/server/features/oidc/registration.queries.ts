import type { Provider } from '#domain/account/company-identity.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Db } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Registration } from './provider.ts';

/** A registration as it is stored. */
export interface StoredRegistration extends Omit<Registration, 'client_secret'> {
  readonly account_id: number;
  readonly secret: Buffer;
  readonly secret_key: number;
  readonly domains: readonly string[];
  readonly link_key: Buffer;
  readonly active: boolean;
}

type Client = Pick<Registration, 'issuer' | 'client_id'>;

/** Reads the registration of an account, or of the account with a link's key. */
export async function readRegistration(
  db: Db,
  by: { readonly accountId: number } | { readonly key: string },
): Promise<StoredRegistration | null> {
  const query = db.selectFrom('oidc').selectAll();
  const found =
    'key' in by
      ? query.where('link_key', '=', Buffer.from(by.key, 'base64url'))
      : query.where('account_id', '=', by.accountId);
  const row = await found.executeTakeFirst();
  // The cast is safe: a CHECK has the same providers.
  return row === undefined ? null : { ...row, provider: row.provider as Provider };
}

/** Opens the client's secret of a registration. @returns 503 without its key */
export function opened(secrets: Secrets, stored: StoredRegistration): Registration | Problem {
  const { account_id: accountId, provider, issuer, client_id } = stored;
  const secret = secrets.open({ accountId, row: accountId, kind: 'oidc' }, stored);
  return secret instanceof Problem ? secret : { provider, issuer, client_id, client_secret: secret.toString() };
}

/** Returns the content that admins edit; the sealed secret stands for the one that nobody sees. */
export const contentOf = (stored: StoredRegistration | null) =>
  stored === null
    ? null
    : {
        provider: stored.provider,
        issuer: stored.issuer,
        client_id: stored.client_id,
        domains: [...stored.domains],
        active: stored.active ? (1 as const) : (0 as const),
        secret: stored.secret.toString('base64'),
      };

/** Whether both stand for the same client of the same provider. */
export const isSameClient = (one: Client, other: Client): boolean =>
  one.issuer === other.issuer && one.client_id === other.client_id;

export const versionOf = (stored: StoredRegistration | null): string => contentVersion(contentOf(stored));

/** The page to which the provider returns. */
export const redirectUriOf = (url: string): string => `${url}/oauth/callback`;

export const loginLinkOf = (url: string, { link_key }: Pick<StoredRegistration, 'link_key'>): string =>
  `${url}/login?c=${link_key.toString('base64url')}`;
