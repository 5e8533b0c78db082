import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { startEmbeddedPostgres } from '#server/platform/embedded-postgres/embedded-postgres.ts';
import { accessTo } from '#test/open-as.ts';
import { addProspectListData, type ProspectListData } from './prospect-list-data.ts';

type Work = (url: string, count: number, data: ProspectListData) => Promise<void>;

async function withDatabase(adminUrl: string, count: number, keep: boolean, work: Work): Promise<void> {
  const name = `kaitaku_bench_api_${count}`;
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const url = Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
  try {
    const there = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (there.rowCount === 0) await admin.query(`CREATE DATABASE ${name}`);
    await prepareDatabase(accessTo(url));
    const owner = openDatabase(url, { connections: 2 });
    if (there.rowCount === 0) await addProspectListData(owner, count);
    const { rows } = await owner.pool.query<ProspectListData>(
      `SELECT account_id AS "accountId", min(id) AS "yearGroup", max(id) AS "weekGroup" FROM sender_group GROUP BY 1`,
    );
    await owner.close();
    await work(url, count, rows[0] as ProspectListData);
  } finally {
    if (!keep) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  }
}

/**
 * Runs `work` on a database of each size in turn.
 * On the embedded PostgreSQL, or as a superuser on the server of DATABASE_URL; the databases are dropped afterwards.
 * @param keep a superuser's postgres://… of a server whose databases are reused and kept
 */
export async function onListDatabases(sizes: readonly string[], keep: string | undefined, work: Work): Promise<void> {
  const external = keep ?? process.env.DATABASE_URL;
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-bench-'));
  // Started by root, the server runs as `nobody`, who must reach its data in this folder.
  await chmod(folder, 0o755);
  const embedded = external === undefined ? await startEmbeddedPostgres(join(folder, 'data')) : null;
  try {
    for (const size of sizes)
      await withDatabase(external ?? embedded?.url ?? '', Number(size), keep !== undefined, work);
  } finally {
    await embedded?.stop();
    await rm(folder, { recursive: true });
  }
}
