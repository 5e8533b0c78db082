// node scripts/external-postgres.ts COMMAND …: runs a command with DATABASE_URL set to a new, temporary PostgreSQL. It
// is the system's own (such as Debian's postgresql-15), and runs as an unprivileged user on a free port. POSTGRES_HOME:
// the folder that contains its bin/.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { initialiseDataFolder } from '#server/platform/embedded-postgres/embedded-postgres.ts';
import { spawnPostmaster, stopPostmaster } from '#server/platform/embedded-postgres/postmaster.ts';
import { postgresIdentity } from '#server/platform/embedded-postgres/unprivileged.ts';

const DEBIAN = '/usr/lib/postgresql';
const [command = '', ...args] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'kaitaku-external-'));
chmodSync(folder, 0o755);
const identity = postgresIdentity();
const native = process.env.POSTGRES_HOME ?? join(DEBIAN, readdirSync(DEBIAN).sort().at(-1) ?? '');
const dataFolder = join(folder, 'data');
const [user, password] = ['kaitaku', 'external'];
const urlAt = (port: number) => `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;

initialiseDataFolder({ native, dataFolder, identity, user, password });
const { pid, port } = await spawnPostmaster({ native, dataFolder, identity, settings: ['fsync=off'], urlAt });
try {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DATABASE_URL: urlAt(port) } });
  process.exitCode = status ?? 1;
} finally {
  await stopPostmaster({ native, dataFolder, pid });
  rmSync(folder, { recursive: true });
}
