import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join } from 'node:path';

/**
 * The package's root: the nearest package.json above the sources (`src/`) and above the bundle (`dist/server/`).
 * No other file of the server looks for what stands beside the code.
 */
const ROOT = dirname(findPackageJSON(import.meta.url) ?? '');

const place = (path: string): string => join(ROOT, path);

/** What the program reads beside its code. The package has these too: `files` of package.json. */
export const PACKAGE = {
  /** The built web client, with the guide and the law. */
  web: place('dist/web'),
  migrations: place('migrations'),
  demoProspects: place('examples/prospects.csv'),
  optOutStyle: place('src/server/features/opt-out/page.css'),
  apiConventions: place('src/server/api-reference/conventions.md'),
  apiScript: place('src/server/api-reference/docs.js'),
  apiStyle: place('src/server/api-reference/docs.css'),
} as const;

/** The folder that npm installed the dependencies into. */
export const MODULES = basename(dirname(ROOT)) === 'node_modules' ? dirname(ROOT) : place('node_modules');

const read = <Fields>(path: string): Fields => JSON.parse(readFileSync(path, 'utf8')) as Fields;

/** The version of this program. */
export const VERSION = read<{ version: string }>(place('package.json')).version;

/** The command by which users start this program again: help and faults name it. */
export const COMMAND = commandAt(ROOT, import.meta.url.endsWith('.ts'));

/**
 * Returns the command that starts the program whose package stands at `root`.
 * @param isSource whether it runs from its sources: a clone
 */
export function commandAt(root: string, isSource: boolean): string {
  if (isSource) return 'npm run kaitaku --';
  const modules = dirname(root);
  // Without an install (an image, an unpacked file).
  if (basename(modules) !== 'node_modules') return `node ${join(root, 'dist/server/main.js')}`;
  const folder = dirname(modules);
  // The trial: `npx kaitaku` would look for the name in the registry.
  if (basename(dirname(folder)) === '_npx') return `npx --yes ${triedFile(folder)}`;
  return 'npx kaitaku';
}

/** Returns the file that npx was given, as npx writes it down beside its install. */
function triedFile(folder: string): string {
  const { _npx } = read<{ _npx?: { packages?: string[] } }>(join(folder, 'package.json'));
  return _npx?.packages?.[0] ?? './kaitaku.tgz';
}
