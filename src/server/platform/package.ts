import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join } from 'node:path';

/**
 * The package's root: the nearest package.json above the sources (`src/`) and above the bundle (`dist/server/`).
 * Only this file of the server locates files beside the code.
 */
const ROOT = dirname(findPackageJSON(import.meta.url) ?? '');

const place = (path: string): string => join(ROOT, path);

/** The files that the program reads beside its code. The package has them too: `files` of package.json. */
export const PACKAGE = {
  /** The built web client, with the user guide and the legal texts. */
  web: place('dist/web'),
  migrations: place('migrations'),
  demoProspects: place('examples/prospects.csv'),
  commonPasswords: place('src/server/features/auth/common-passwords.txt'),
  optOutStyle: place('src/server/features/opt-out/page.css'),
  apiConventions: place('src/server/api-reference/conventions.md'),
  apiQuickStart: place('src/server/api-reference/quick-start.md'),
  apiScript: place('src/server/api-reference/docs.js'),
  apiStyle: place('src/server/api-reference/docs.css'),
} as const;

/** The folder that npm installed the dependencies into. */
export const MODULES = basename(dirname(ROOT)) === 'node_modules' ? dirname(ROOT) : place('node_modules');

const read = <Fields>(path: string): Fields => JSON.parse(readFileSync(path, 'utf8')) as Fields;

/** The version of this program. */
export const VERSION = read<{ version: string }>(place('package.json')).version;

/** The command by which users start this program again, for help and fault messages. */
export const COMMAND = commandAt(ROOT, import.meta.url.endsWith('.ts'));

/**
 * Returns the command that starts the program of the package at `root`.
 * @param isSource whether it runs from its sources, a clone
 */
export function commandAt(root: string, isSource: boolean): string {
  if (isSource) return 'npm run kaitaku --';
  const modules = dirname(root);
  // Not installed by npm: an image, or an unpacked file.
  if (basename(modules) !== 'node_modules') return `node ${join(root, 'dist/server/main.js')}`;
  const folder = dirname(modules);
  // Run by npx from a file: `npx kaitaku` would look in the registry.
  if (basename(dirname(folder)) === '_npx') return `npx --yes ${triedFile(folder)}`;
  return 'npx kaitaku';
}

/** Returns the file that npx was given, as npx records it beside its install. */
function triedFile(folder: string): string {
  const { _npx } = read<{ _npx?: { packages?: string[] } }>(join(folder, 'package.json'));
  return _npx?.packages?.[0] ?? './kaitaku.tgz';
}
