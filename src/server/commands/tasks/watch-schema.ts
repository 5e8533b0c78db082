import type { Db } from '../../platform/database/db.ts';
import { newestVersion, oldestProgram } from '../../platform/database/migrate.ts';
import type { Run } from '../run-until-stopped.ts';

export interface SchemaParts extends Pick<Run, 'fail'> {
  /** A pool of a role that may read the version of the schema: kaitaku_login or kaitaku_service. */
  readonly db: Db;
  readonly log: Pick<Run['log'], 'fatal'>;
}

/** Ends the process once the database's schema no longer permits this program. */
export async function lookAtSchema({ db, log, fail }: SchemaParts): Promise<void> {
  const [program, oldest] = await Promise.all([newestVersion(), oldestProgram(db)]);
  if (oldest <= program) return;
  log.fatal({ program, oldest }, 'a newer Kaitaku has migrated the database; this process stops');
  fail(
    `新しい版のKaitakuがデータベースを更新したため、この版では続けられません（必要な版 ${oldest}、このプログラム ${program}）。新しい版のKaitakuで起動してください。`,
  );
}
