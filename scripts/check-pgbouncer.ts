// npm run check:pgbouncer: runs the program behind Debian's PgBouncer as docs/operations.md describes, from `migrate`
// by an ordinary owner to a mail, and with settings stored with a role. Then with pool_mode = transaction and
// statement, where it must refuse to start.
// PGBOUNCER names another binary.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '#server/platform/embedded-postgres/embedded-postgres.ts';
import { databaseAnswers } from '#server/platform/embedded-postgres/postmaster.ts';
import { postgresIdentity } from '#server/platform/embedded-postgres/unprivileged.ts';
import { freePort, type Program, runToEnd, startProgram } from '#test/program.ts';
import { startSmtpSink } from '#test/smtp-sink.ts';
import { makeUser, sendFirstMail } from './first-mail.ts';

const PGBOUNCER = process.env.PGBOUNCER ?? '/usr/sbin/pgbouncer';
const OWNER = { name: 'kaitaku_owner', password: 'secret-of-owner' };
const POOLER_PASSWORD = 'secret-of-pooler';
const LIST = join(import.meta.dirname, '../examples/prospects.csv');

/**
 * Lets PgBouncer read the verifiers of the roles from the server, so that it needs no password list.
 * See docs/operations.md.
 */
const POOLER_SQL = `
  CREATE ROLE pgbouncer LOGIN PASSWORD '${POOLER_PASSWORD}';
  CREATE SCHEMA pgbouncer;
  GRANT USAGE ON SCHEMA pgbouncer TO pgbouncer;
  CREATE FUNCTION pgbouncer.get_auth(name text) RETURNS TABLE (usename name, passwd text)
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
    AS $$ SELECT rolname, rolpassword FROM pg_authid WHERE rolname = $1 AND rolcanlogin AND NOT rolsuper $$;
  REVOKE ALL ON FUNCTION pgbouncer.get_auth(text) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION pgbouncer.get_auth(text) TO pgbouncer`;

async function runSql(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const ended = (child: ChildProcess) =>
  child.exitCode === null ? new Promise<void>((done) => child.once('exit', () => done())) : Promise.resolve();

interface Pooler {
  /** The owner's URL through PgBouncer. */
  readonly url: string;
  stop(): Promise<void>;
}

async function startPooler(folder: string, postgresPort: string, mode: string): Promise<Pooler> {
  const port = await freePort();
  const [users, config] = [join(folder, 'userlist.txt'), join(folder, 'pgbouncer.ini')];
  writeFileSync(users, `"pgbouncer" "${POOLER_PASSWORD}"\n`, { mode: 0o644 });
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    auth_user: 'pgbouncer',
    admin_users: 'pgbouncer',
    auth_query: 'SELECT usename, passwd FROM pgbouncer.get_auth($1)',
    pool_mode: mode,
    default_pool_size: 20,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const database = `[databases]\nkaitaku = host=127.0.0.1 port=${postgresPort}\n\n[pgbouncer]\n`;
  writeFileSync(config, `${database}${lines.join('\n')}\n`, { mode: 0o644 });
  const child = spawn(PGBOUNCER, ['-q', config], { ...postgresIdentity(), stdio: ['ignore', 'inherit', 'inherit'] });
  const url = `postgres://${OWNER.name}:${OWNER.password}@127.0.0.1:${port}/kaitaku`;
  const stop = async () => {
    child.kill('SIGTERM');
    await ended(child);
  };
  if (await databaseAnswers(url, { timeoutMs: 20_000, isAborted: () => child.exitCode !== null })) return { url, stop };
  await stop();
  throw new Error('PgBouncer does not answer');
}

function ownUrls(owner: string) {
  const of = (role: string) =>
    Object.assign(new URL(owner), { username: `kaitaku_${role}`, password: `secret-of-${role}` }).href;
  return { DATABASE_API_URL: of('api'), DATABASE_LOGIN_URL: of('login'), DATABASE_SERVICE_URL: of('service') };
}

async function checkSession(folder: string, postgresPort: string): Promise<void> {
  const pooler = await startPooler(folder, postgresPort, 'session');
  const sink = await startSmtpSink();
  const running: Program[] = [];
  try {
    const port = String(await freePort());
    const env = { DATA_DIR: join(folder, 'data'), SMTP_URL: `smtp://127.0.0.1:${sink.port}`, PORT: port };
    const asOwner = { ...env, DATABASE_URL: pooler.url };
    await runToEnd(['migrate'], asOwner);
    await makeUser(async (args, input) => void (await runToEnd(args, asOwner, input)), LIST);
    // The URLs for processes without the owner's password: migrate sets other passwords for their roles.
    const own = ownUrls(pooler.url);
    await runToEnd(['migrate'], { ...asOwner, ...own });
    const { DATABASE_SERVICE_URL, ...ofWeb } = own;
    for (const [half, urls] of [
      ['web', ofWeb],
      ['worker', { DATABASE_SERVICE_URL }],
    ] as const) {
      const program = startProgram([half], { ...env, ...urls });
      running.push(program);
      await program.until(`${half} started`);
    }
    await sendFirstMail(`http://127.0.0.1:${port}`, sink);
    for (const { child } of running) child.kill('SIGTERM');
    for (const program of running) assert.equal(await program.ended, 0, program.output());
    await checkReconnect(pooler.url, asOwner, own.DATABASE_API_URL);
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
    await sink.close();
    await pooler.stop();
  }
  process.stdout.write('pool_mode = session: migrated, and a mail has left.\n');
}

/** Checks that connections of PgBouncer keep a role setting that was reset, until RECONNECT. */
async function checkReconnect(owner: string, asOwner: Record<string, string>, api: string): Promise<void> {
  const findsTables = () =>
    runSql(api, ['SELECT FROM account']).then(
      () => true,
      () => false,
    );
  await runSql(api, ['ALTER ROLE CURRENT_USER SET search_path = nowhere']);
  const console = Object.assign(new URL(owner), {
    pathname: '/pgbouncer',
    username: 'pgbouncer',
    password: POOLER_PASSWORD,
  });
  await runSql(console.href, ['RECONNECT kaitaku', 'WAIT_CLOSE kaitaku']);
  assert.equal(await findsTables(), false);
  await runToEnd(['migrate'], { ...asOwner, ...ownUrls(owner) });
  assert.equal(await findsTables(), false);
  await runSql(console.href, ['RECONNECT kaitaku', 'WAIT_CLOSE kaitaku']);
  assert.equal(await findsTables(), true);
  process.stdout.write('a setting of a role: reset by migrate, and gone after RECONNECT.\n');
}

async function checkRefused(folder: string, postgresPort: string, mode: string): Promise<void> {
  const pooler = await startPooler(folder, postgresPort, mode);
  try {
    const env = { DATABASE_URL: pooler.url, SMTP_URL: 'smtp://127.0.0.1:9', DATA_DIR: join(folder, 'data') };
    await assert.rejects(runToEnd(['worker'], env), /pool_mode = session/);
  } finally {
    await pooler.stop();
  }
  process.stdout.write(`pool_mode = ${mode}: refused at the start, as it should be.\n`);
}

const folder = mkdtempSync(join(tmpdir(), 'kaitaku-pgbouncer-'));
// PostgreSQL and PgBouncer do not run as root, and must reach their files in this folder.
chmodSync(folder, 0o755);
try {
  const postgres = await startEmbeddedPostgres(join(folder, 'server'), ['fsync=off']);
  try {
    const own = new URL(postgres.url);
    // An ordinary owner, as on a user's own server. Only the administrator uses the direct connection.
    const administrator = Object.assign(new URL(own), { pathname: '/postgres' }).href;
    await runSql(administrator, [
      `CREATE ROLE ${OWNER.name} LOGIN CREATEROLE PASSWORD '${OWNER.password}'`,
      `ALTER DATABASE kaitaku OWNER TO ${OWNER.name}`,
    ]);
    await runSql(own.href, [POOLER_SQL]);
    await checkSession(folder, own.port);
    for (const mode of ['transaction', 'statement']) await checkRefused(folder, own.port, mode);
  } finally {
    await postgres.stop();
  }
} finally {
  rmSync(folder, { recursive: true });
}
