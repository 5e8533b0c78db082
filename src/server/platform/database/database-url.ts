import { accessSync, constants } from 'node:fs';
import { url } from '../setting-values.ts';

/** Those of libpq that pg can do, and pg's own `no-verify`. `allow` would try without encryption first. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const SSL_FILES = ['sslrootcert', 'sslcert', 'sslkey'];
/** libpq's alias, as JDBC writes it. */
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

/** Returns what is wrong with the TLS parameters of a URL that `asLibpq` returned. */
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
 * Rewrites the TLS parameters of a URL so that pg takes them as libpq does.
 * pg itself reads `require` as `verify-full`, which the private authorities of RDS, Cloud SQL and Azure fail.
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
  // The authorities that Node knows.
  if (params.get('sslrootcert') === 'system') {
    params.set('sslmode', 'verify-full');
    params.delete('sslrootcert');
  }
  if (params.has('sslmode')) params.set('uselibpqcompat', 'true');
  return result;
}

/** Returns the schema of the URL of a database. */
export const databaseUrl = (name: string) =>
  url(name, ['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/kaitaku')
    .transform(asLibpq)
    .superRefine((parsed, context) => {
      const message = tlsFault(name, parsed);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .optional();

/** Checks for a URL that encrypts without checking whom it talks to. */
export function isUnverifiedTls(href: string): boolean {
  const { searchParams } = new URL(href);
  return ['prefer', 'require'].includes(searchParams.get('sslmode') ?? '') && !searchParams.has('sslrootcert');
}
