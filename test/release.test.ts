import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import packageLock from '../package-lock.json' with { type: 'json' };
import { editedMigrations } from '../scripts/released-migrations.ts';

test('migrations of a release were not edited: databases that have them would differ', () => {
  expect(editedMigrations()).toStrictEqual([]);
});

test('the lock file has the version of the package', () => {
  expect(packageLock.version).toBe(packageJson.version);
  expect(packageLock.packages[''].version).toBe(packageJson.version);
});
