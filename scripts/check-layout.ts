// A part of npm run check:code: columns, files with one importer, and files in a folder (CONTRIBUTING.md, "Layout").
import { basename, dirname } from 'node:path';
import { importsOf, isTest, sourceFiles, target, textOf } from './imports.ts';

/**
 * The current sizes. A change may not exceed a ceiling; one that gets below it lowers it.
 * Other folders may have MAX_FILES_IN_FOLDER.
 */
const CEILINGS: Readonly<Record<string, number>> = {
  'files that belong into their only importer': 2,
  // The command line: one file per command.
  'src/server/commands/': 16,
  'src/server/features/inbox/': 19,
  // The routes.
  'src/web/app/routes/': 17,
  'src/web/features/companies/': 20,
  'src/web/features/imports/': 23,
  'src/web/features/mail-templates/editor/': 21,
  'src/web/features/prospects/': 19,
};

/** Files that `npm run generate` writes. */
const GENERATED = ['src/contract/calls.ts', 'src/server/platform/database/db-types.ts'];
const MAX_COLUMNS = 120;
const MAX_FILES_IN_FOLDER = 15;
/** A shorter file with its only importer beside it must be merged into it if both have at most MAX_TOGETHER. */
const MIN_LINES = 60;
const MAX_TOGETHER = 200;
/** Files that stay separate: texts, and names that the web client imports without zod. */
const STAYS = /(^|[/-])(words|names)\.ts$/;
/** Folders whose files are counted. */
const ROOMS = /^src\/(contract|domain|server|web)\//;

const files = sourceFiles().filter((path) => !GENERATED.includes(path));
const isProduct = (path: string) => path.startsWith('src/') && !isTest(path);
const product = files.filter((path) => isProduct(path) && /\.tsx?$/.test(path));

const linesOf = (path: string) => textOf(path).replace(/\n$/, '').split('\n');

/** Finds lines over MAX_COLUMNS in src. Elsewhere Biome formats the code, and texts may be longer. */
function longLines(): string[] {
  return files.flatMap((path) =>
    linesOf(path).flatMap((line, at) => {
      const columns = [...line].length;
      if (columns <= MAX_COLUMNS || !(isProduct(path) || /^\s*(\/\/|\/?\*)/.test(line))) return [];
      return `${path}:${at + 1}: ${columns} columns, limit ${MAX_COLUMNS}`;
    }),
  );
}

/** Finds files that belong into their only importer, as `file → importer`. */
function filesOfOneImporter(): string[] {
  const edges = files
    .filter((path) => !isTest(path))
    .flatMap((from) =>
      [...new Set(importsOf(from).map((specifier) => target(from, specifier)))].map((to) => ({ from, to })),
    );
  const importers = Map.groupBy(edges, ({ to }) => to);
  return product.flatMap((path) => {
    const [only, ...others] = importers.get(path) ?? [];
    return only && others.length === 0 && belongsInto(path, only.from) ? `${path} → ${basename(only.from)}` : [];
  });
}

function belongsInto(path: string, importer: string): boolean {
  if (dirname(path) !== dirname(importer) || STAYS.test(path) || kindOf(path) !== kindOf(importer)) return false;
  if (files.some((other) => isTest(other) && other.replace(/\.test\.tsx?$/, '') === path.replace(/\.tsx?$/, '')))
    return false;
  // The importer loads it as a separate chunk or thread.
  if (new RegExp(`(import|URL)\\(\\s*'[^']*/${basename(path)}'`).test(textOf(importer))) return false;
  const lines = linesOf(path).length;
  return lines < MIN_LINES && lines + linesOf(importer).length <= MAX_TOGETHER;
}

/** Queries and commands are merged only with files of the same kind. */
const kindOf = (path: string) => /\.(queries|command)\.ts$/.exec(path)?.[1] ?? 'other';

const breaches = longLines();

/** Compares a figure with its ceiling. `listed` names what was counted. */
function hold(name: string, now: number, usual: number, listed: readonly string[] = []): void {
  const ceiling = CEILINGS[name] ?? usual;
  if (now > ceiling) breaches.push(...listed, `${name}: ${now}, ceiling ${ceiling}`);
  if (now < ceiling && name in CEILINGS) process.stdout.write(`${name}: ${now}, lower its ceiling of ${ceiling}\n`);
}

const merged = filesOfOneImporter();
hold('files that belong into their only importer', merged.length, 0, merged);
const folders = Map.groupBy(
  product.filter((path) => ROOMS.test(path)),
  (path) => `${dirname(path)}/`,
);
for (const name of new Set([...folders.keys(), ...Object.keys(CEILINGS).filter((key) => key.startsWith('src/'))]))
  hold(name, folders.get(name)?.length ?? 0, MAX_FILES_IN_FOLDER);

for (const text of breaches) process.stderr.write(`${text}\n`);
process.exitCode = breaches.length > 0 ? 1 : 0;
