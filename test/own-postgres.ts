import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { livePostmaster } from '#server/platform/embedded-postgres/postmaster.ts';
import { accessTo } from './open-as.ts';
import { startTestPostgres } from './reaper.ts';

/** A migrated PostgreSQL, separate from the shared one, to crash or to measure: in a temporary folder, with fsync. */
export interface OwnPostgres {
  readonly url: string;
  /** Restarts it like `pg_ctl restart -m immediate`, as after a power failure. @returns the new port */
  crash(): Promise<number>;
  stop(): Promise<void>;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-own-'));
  // Started by root, the server runs as `nobody`, who must reach its data in this folder.
  await chmod(folder, 0o755);
  let server = await startTestPostgres(folder);
  await prepareDatabase(accessTo(server.url));
  return {
    url: server.url,
    crash: async () => {
      const postmaster = livePostmaster(server.dataFolder);
      if (postmaster) process.kill(postmaster.pid, 'SIGQUIT');
      while (livePostmaster(server.dataFolder) !== null) await sleep(10);
      server = await startTestPostgres(folder);
      return Number(new URL(server.url).port);
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}
