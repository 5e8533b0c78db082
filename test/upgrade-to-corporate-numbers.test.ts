import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { importProspects } from '#server/features/imports/merge/import.command.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { migrate } from '#server/platform/database/migrate.ts';
import { ensureRoles } from '#server/platform/database/roles/ensure-roles.ts';
import { makeInstallation } from './installation.ts';
import { copyMigrations, migrationFolder } from './migrations.ts';

/** Upgrades a list whose companies were recognised by the older identity. Nothing is lost, and imports find them. */

/** The name and the address in the form of a stored key, and the key after the upgrade. */
const COMPANIES: readonly [name: string, address: string, key: string][] = [
  ['(株)甲', '東京', '株式会社甲\n東京'],
  ['株式会社 乙', '東京', '株式会社乙\n東京'],
  ['丙(有)', '1−2', '丙有限会社\n1-2'],
  ['丁〜戊', '', '丁~戊\n'],
  // Three that are one company now. The one whose key stays keeps it.
  ['(株)己', '東京', '(株)己\n東京'],
  ['株式会社己', '東京', '株式会社己\n東京'],
  ['株式会社 己', '東京', '株式会社 己\n東京'],
  // Two that are one company now. The first gets the key.
  ['(株) 庚', '東京', '株式会社庚\n東京'],
  ['(株)庚', '東京', '(株)庚\n東京'],
  ['辛', '大阪', '辛\n大阪'],
];

test('companies keep their rows and are found by the new identity', async () => {
  const { url, adminUrl, access, prefix, drop } = await makeInstallation();
  onTestFinished(drop);
  const folder = await migrationFolder();
  await copyMigrations(folder, '0031');
  const admin = openDatabase(adminUrl, { connections: 1 });
  const owner = openDatabase(url, { connections: 1 });
  await ensureRoles(owner.pool, access);
  await migrate(owner.pool, { folder, rolePrefix: prefix });
  await admin.pool.query("INSERT INTO account (company) VALUES ('a'), ('b')");
  for (const [name, address] of COMPANIES) {
    await admin.pool.query(
      `INSERT INTO prospect (account_id, identity_key, company_name, address, address_search)
       SELECT id, $1 || E'\\n' || $2, $1, nullif($2, ''), nullif($2, '') FROM account`,
      [name, address],
    );
  }
  await prepareDatabase(access);

  const { rows } = await admin.pool.query<{ key: string; name: string }>(
    'SELECT identity_key AS key, company_name AS name FROM prospect ORDER BY account_id, id',
  );
  const expected = COMPANIES.map(([name, , key]) => ({ key, name }));
  expect(rows).toStrictEqual([...expected, ...expected]);

  const service = openDatabase(access.urlOf('service'), { role: 'service' });
  onTestFinished(async () => {
    for (const opened of [admin, owner, service]) await opened.close();
  });
  const file = Readable.from(['会社名,住所\n', ...COMPANIES.map(([name, address]) => `${name},${address}\n`)]);
  expect(await importProspects(service, { accountId: 1, file })).toMatchObject({ added: 0, duplicates: 3 });
});
