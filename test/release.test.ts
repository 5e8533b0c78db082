import { describe, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import packageLock from '../package-lock.json' with { type: 'json' };
import { notesOf, prereleaseOf } from '../scripts/release-version.ts';
import { editedMigrations } from '../scripts/released-migrations.ts';

test('released migrations were not edited: databases that have applied them would differ', () => {
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

describe('the version of what npm run release makes', () => {
  const RELEASED = '# Changelog\n\n## 1.2.3 - 2026-11-28\n\n- first\n\n## 1.2.2 - 2026-10-01\n\n- older\n';
  const ahead = (text: string) => RELEASED.replace('# Changelog\n', `# Changelog\n\n## Unreleased\n${text}`);

  test('is that of package.json if the changelog has no unreleased changes', () => {
    expect(prereleaseOf(RELEASED, '1.2.3', 40)).toBeNull();
    expect(prereleaseOf(ahead(''), '1.2.3', 40)).toBeNull();
    expect(notesOf(RELEASED, '1.2.3')).toBe('# Kaitaku 1.2.3 - 2026-11-28\n\n- first\n\n');
    expect(notesOf(RELEASED, '1.3.0')).toBeNull();
  });

  test('is otherwise a pre-release of the next one, with the notes of unreleased changes', () => {
    const changelog = ahead('\n- a new call\n');
    expect(prereleaseOf(changelog, '1.2.3', 40)).toBe('1.3.0-dev.40');
    expect(prereleaseOf(changelog, '2.0.0', 41)).toBe('2.0.0-dev.41');
    expect(notesOf(changelog, '1.3.0-dev.40')).toBe('# Kaitaku 1.3.0-dev.40\n\n- a new call\n\n');
  });
});
