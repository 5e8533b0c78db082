import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '#test/certificate.ts';
import { startTestPostgres } from '#test/reaper.ts';
import { eventually } from '#test/sending.ts';
import { readSettings } from '../settings.ts';
import { checkConnection } from './check-connection.ts';
import { isUnverifiedTls } from './database-url.ts';
import { openDatabase } from './db.ts';

const read = (url: string): string => readSettings({ DATABASE_URL: url }).database.owner ?? '';
const URL_BASE = 'postgres://me:secret@db.example.com/kaitaku';

test.each([
  'sslmode=on',
  'sslmode=',
  'sslmode=allow',
  'sslmode=VERIFY-FULL',
  'ssl=yes',
  'sslmode=verify-ca',
  'sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
  'sslmode=require&sslcert=/nowhere/cert.pem',
])('bad-inputs 128: ?%s is refused by the name of its parameter, without the password', (query) => {
  const refused = () => read(`${URL_BASE}?${query}`);
  expect(refused).toThrow(/DATABASE_URL の (ssl|sslmode|sslmode=verify-ca|sslrootcert|sslcert) /);
  expect(refused).not.toThrow(/secret/);
});

test.each([
  ['', false],
  ['?sslmode=disable', false],
  ['?sslmode=verify-full', false],
  ['?sslmode=require', true],
  ['?sslmode=prefer', true],
  ['?ssl=true', true],
  ['?sslmode=no-verify', true],
  ['?sslmode=require&sslrootcert=system', false],
])('%j encrypts without a check of the server: %s', (query, isUnverified) =>
  expect(isUnverifiedTls(read(URL_BASE + query))).toBe(isUnverified),
);

describe('a server whose certificate is of a private authority, for another name', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof startTestPostgres>>;
  let ca: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kaitaku-tls-'));
    // As root the server runs as `nobody`, who must reach its data in this folder.
    await chmod(folder, 0o755);
    server = await startTestPostgres(folder);
    const { cert, key } = selfSigned({ host: 'db.internal' });
    ca = join(folder, 'ca.pem');
    await writeFile(ca, cert);
    const { uid, gid } = await stat(server.dataFolder);
    for (const [name, text] of [
      ['server.crt', cert],
      ['server.key', key],
    ] as const) {
      const path = join(server.dataFolder, name);
      await writeFile(path, text, { mode: 0o600 });
      await chown(path, uid, gid);
    }
    const { pool, close } = openDatabase(server.url, { connections: 1 });
    await pool.query('ALTER SYSTEM SET ssl = on');
    await pool.query('SELECT pg_reload_conf()');
    await close();
    await eventually(
      () => faultBy('sslmode=require'),
      (fault) => fault === null,
    );
  });

  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  /** Connects as the program does. @returns null, or the message of the fault */
  async function faultBy(query: string): Promise<string | null> {
    const fault = await checkConnection(read(`${server.url}?${query}`), null);
    return fault?.kind === 'unusable' ? fault.error.message : null;
  }

  const isEncrypted = async (query: string) => {
    const { pool, close } = openDatabase(read(`${server.url}?${query}`), { connections: 1 });
    const { rows } = await pool.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    await close();
    return rows[0]?.ssl;
  };

  test.each(['sslmode=require', 'sslmode=prefer', 'ssl=true', 'ssl=1', 'sslmode=no-verify'])(
    '%s encrypts, as consoles of managed databases expect',
    async (query) => expect(await isEncrypted(query)).toBe(true),
  );

  test.each(['sslmode=require', 'sslmode=verify-ca'])(
    '%s with its sslrootcert checks the authority, not the name',
    (mode) => expect(isEncrypted(`${mode}&sslrootcert=${encodeURIComponent(ca)}`)).resolves.toBe(true),
  );

  test.each(['sslmode=disable', 'ssl=false', ''])('%j does not encrypt', (query) =>
    expect(isEncrypted(query)).resolves.toBe(false),
  );

  test('what must be checked and fails is refused', async () => {
    const other = join(folder, 'other.pem');
    await writeFile(other, selfSigned({ host: 'db.internal' }).cert);
    expect(await faultBy('sslmode=verify-full')).toMatch(/self-signed|certificate/);
    expect(await faultBy('sslmode=require&sslrootcert=system')).toMatch(/self-signed|certificate/);
    expect(await faultBy(`sslmode=verify-full&sslrootcert=${encodeURIComponent(ca)}`)).toMatch(/altnames|Hostname/i);
    expect(await faultBy(`sslmode=require&sslrootcert=${encodeURIComponent(other)}`)).toMatch(/certificate/);
  });
});
