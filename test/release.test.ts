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

test('the lock file has the hash of each package, also of those for other platforms', () => {
  const { '': _, ...packages } = packageLock.packages as Record<string, { integrity?: string }>;
  const platforms = Object.keys(packageJson.optionalDependencies).map((name) => `node_modules/${name}`);
  expect(Object.keys(packages)).toEqual(expect.arrayContaining(platforms));
  const bare = Object.entries(packages).filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
  expect(bare.map(([path]) => path)).toStrictEqual([]);
});
