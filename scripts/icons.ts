import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Plugin } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const PACKAGE = '@tabler/icons-react/';
const FILE = 'src/web/icons.json';

/**
 * Serves the icons from a generated file. Their package has 6,000 icons in 88 MB, so `npm start` does not install it.
 * Each icon is a separate module, in the chunk that uses it.
 */
export function usedIcons(): Plugin {
  const modules = JSON.parse(readFileSync(join(ROOT, FILE), 'utf8')) as Readonly<Record<string, string>>;
  const id = (path: string) => `\0${PACKAGE}${path}`;
  return {
    name: 'used-icons',
    enforce: 'pre',
    apply: 'build',
    resolveId(source, importer) {
      if (source.startsWith(PACKAGE)) return id(source.slice(PACKAGE.length));
      if (!importer?.startsWith(id('')) || !source.startsWith('.')) return null;
      return id(posix.join(posix.dirname(importer.slice(id('').length)), source));
    },
    load(module) {
      if (!module.startsWith(id(''))) return null;
      const path = module.slice(id('').length);
      return modules[path] ?? this.error(`${FILE} has no ${path}: run npm run generate`);
    },
  };
}

/** Returns that file's contents: the used icons, with their own imports. */
export function makeIcons(): string {
  const modules: Record<string, string> = { LICENSE: textOf('LICENSE') };
  const add = (path: string): void => {
    if (modules[path] !== undefined) return;
    // Removes the licence name that each icon repeats.
    const text = textOf(path).replace(/^\/\*\*[\s\S]*?\*\/\s*/, '');
    modules[path] = text;
    for (const [, found = ''] of text.matchAll(/from '(\.[^']+)'/g)) add(posix.join(posix.dirname(path), found));
  };
  for (const file of globSync('src/web/**/*.{ts,tsx}', { cwd: ROOT })) {
    const source = readFileSync(join(ROOT, file), 'utf8');
    for (const [, path = ''] of source.matchAll(/from '@tabler\/icons-react\/([\w./-]+\.mjs)'/g)) add(path);
  }
  const sorted = Object.entries(modules).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`;
}

const textOf = (path: string): string => readFileSync(join(ROOT, 'node_modules', PACKAGE, path), 'utf8');
