import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../startup-error.ts';

const MAJOR = '18';

/** Refuses data of another major version, which this server cannot read. @throws StartupError */
export function refuseOtherMajor(dataFolder: string): void {
  const major = readFileSync(join(dataFolder, 'PG_VERSION'), 'utf8').trim();
  if (major === MAJOR) return;
  throw new StartupError(
    `${dataFolder} はPostgreSQL ${major} のデータです（同梱は ${MAJOR}）。` +
      `PostgreSQL ${major} のpg_dumpで書き出して新しい DATA_DIR に読み込むか、DATABASE_URL でPostgreSQL ${major} のサーバーを指定してください。` +
      'データには手を加えていません。',
  );
}
