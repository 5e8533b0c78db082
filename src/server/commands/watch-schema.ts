import type { Db } from '../platform/database/db.ts';
import { newestVersion, oldestProgram } from '../platform/database/migrate.ts';
import { startLoop } from '../platform/loop.ts';
import type { Run } from './run-until-stopped.ts';

/** How long a program may run beside a schema that does not permit it, at most. */
const LOOK_MS = 60_000;

/**
 * Ends the process once the database has a schema that does not permit this program to run beside it.
 * @param db of a role that may read the version of the schema: not kaitaku_api
 */
export function watchSchema(
  { log, running, fail }: Pick<Run, 'log' | 'running' | 'fail'>,
  db: Db,
  everyMs = LOOK_MS,
): void {
  const loop = startLoop({
    log,
    task: 'read which programs the schema permits',
    async work() {
      const [program, oldest] = await Promise.all([newestVersion(), oldestProgram(db)]);
      if (oldest > program) {
        log.fatal({ program, oldest }, 'a newer Kaitaku has migrated the database: this one ends');
        fail(
          `新しい版のKaitakuがデータベースを更新したため、この版では続けられません（必要な版 ${oldest}、このプログラム ${program}）。新しい版のKaitakuで起動してください。`,
        );
      }
      return everyMs;
    },
    retryMs: everyMs,
  });
  running.push(() => loop.stop());
}
