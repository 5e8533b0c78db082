import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { exportHandler } from '#server/features/exports/export-job.ts';
import { NO_STORAGE_LIMITS } from '#server/features/stored-files/storage-limits.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { startEmbeddedPostgres } from '#server/platform/embedded-postgres/embedded-postgres.ts';
import { accessTo, openAs } from '#test/open-as.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';

/**
 * Measures an export of all companies as CSV, and the memory of its process.
 * `npm run bench -- export [rows]`; by default a million (bad-inputs 238).
 */

const ROWS = Number(process.argv[2] ?? 1_000_000);
const MB = 1024 * 1024;
const COLUMNS = ['company_name', 'company_email', 'address', 'amount_of_sales', 'active'];

const folder = await mkdtemp(join(tmpdir(), 'kaitaku-bench-'));
// Started by root, the server runs as `nobody`, who must reach its data in this folder.
await chmod(folder, 0o755);
const server = await startEmbeddedPostgres(folder);
const owner = openDatabase(server.url);
try {
  await prepareDatabase(accessTo(server.url));
  const { accountId, memberId, senderGroupId } = await addTenant(owner.db);
  for (let from = 1; from <= ROWS; from += 50_000) {
    await addManyProspects(owner.db, accountId, Math.min(50_000, ROWS - from + 1), from);
  }
  const service = openAs('service', server.url);
  const input = { what: 'prospects', format: 'csv_utf8', sender_group_id: senderGroupId, columns: COLUMNS };
  const { id } = await owner.db
    .insertInto('job')
    .values({ account_id: accountId, kind: 'export', state: 'running', claim_no: 1, input: JSON.stringify(input) })
    .returning('id')
    .executeTakeFirstOrThrow();
  const cpu = process.cpuUsage();
  const before = process.memoryUsage().rss;
  const start = performance.now();
  await exportHandler({ db: service.db, now: Date.now, limits: NO_STORAGE_LIMITS })({
    accountId,
    memberId,
    id,
    claimNo: 1,
    kind: 'export',
    input: input as never,
    account: accountDbOf(service.db)(accountId, memberId),
    signal: new AbortController().signal,
    report: () => {},
    finish: async () => {},
  });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const { rows } = await sql<{ bytes: number }>`SELECT bytes FROM stored_file`.execute(owner.db);
  await service.close();
  const fileMb = Math.round((rows[0]?.bytes ?? 0) / MB);
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(
    `${ROWS} rows: ${seconds.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of CPU, file ${fileMb} MB; ` +
      `memory of the process ${Math.round(before / MB)} MB, at most ${peakMb} MB\n`,
  );
} finally {
  await owner.close();
  await server.stop();
  await rm(folder, { recursive: true });
}
