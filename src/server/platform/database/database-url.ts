import { accessSync, constants } from 'node:fs';
import { url } from '../setting-values.ts';

/** The modes of libpq that pg supports, and pg's own `no-verify`. `allow` would try without encryption first. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const SSL_FILES = ['sslrootcert', 'sslcert', 'sslkey'];
/** Aliases of libpq's modes, as JDBC writes them. */
const SSL_FLAGS: Readonly<Record<string, string>> = {
  true: 'require',
  '1': 'require',
  false: 'disable',
  '0': 'disable',
};

const isReadable = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
};

/** Returns the fault of the TLS parameters of a URL from `asLibpq`. */
function tlsFault(name: string, { searchParams }: URL): string | null {
  const mode = searchParams.get('sslmode');
  if (searchParams.has('ssl')) return `${name} の ssl は true か false にしてください。`;
  if (mode !== null && !SSL_MODES.includes(mode))
    return `${name} の sslmode は disable、require、verify-ca、verify-full のどれかにしてください。`;
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert'))
    return `${name} の sslmode=verify-ca には、認証局の証明書のファイルを sslrootcert で指定してください。`;
  const missing = SSL_FILES.find((file) => searchParams.has(file) && !isReadable(searchParams.get(file) ?? ''));
  return missing === undefined ? null : `${name} の ${missing} のファイルを読めません。パスと権限を確認してください。`;
}

/**
 * Rewrites a URL's TLS parameters so that pg interprets them as libpq does.
 * pg itself reads `require` as `verify-full`, which fails with the private authorities of RDS, Cloud SQL and Azure.
 */
function asLibpq(original: URL): URL {
  const result = new URL(original);
  const params = result.searchParams;
  const flag = SSL_FLAGS[params.get('ssl') ?? ''];
  if (flag !== undefined) {
    params.delete('ssl');
    if (!params.has('sslmode')) params.set('sslmode', flag);
  }
  if (params.get('sslmode') === 'no-verify') {
    params.set('sslmode', 'require');
    params.delete('sslrootcert');
  }
  // `system`: Node's own certificate authorities.
  if (params.get('sslrootcert') === 'system') {
    params.set('sslmode', 'verify-full');
    params.delete('sslrootcert');
  }
  if (params.has('sslmode')) params.set('uselibpqcompat', 'true');
  return result;
}

/** Makes the schema of a database URL. */
export const databaseUrl = (name: string) =>
  url(name, ['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/kaitaku')
    .transform(asLibpq)
    .superRefine((parsed, context) => {
      const message = tlsFault(name, parsed);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .optional();

/** Checks for a URL that encrypts without verifying the server. */
export function isUnverifiedTls(href: string): boolean {
  const { searchParams } = new URL(href);
  return ['prefer', 'require'].includes(searchParams.get('sslmode') ?? '') && !searchParams.has('sslrootcert');
}
