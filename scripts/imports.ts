import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Returns the paths of all code and style sheets, relative to the repository's root and with slashes. */
export const sourceFiles = (): string[] =>
  globSync(['*.ts', '{src,test,scripts,bench}/**/*.{ts,tsx,js,mjs,css}'], { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();

export const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);

export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Returns all specifiers that a file imports, re-exports or loads dynamically, including types. */
export const importsOf = (path: string): string[] =>
  [...textOf(path).matchAll(/(?<![\w/'"])(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g)].map(
    ([, specifier = '']) => specifier,
  );

/** Returns the files of the project from which a file takes values: by import, re-export or dynamic import. */
export function valueImportsOf(path: string): string[] {
  const text = textOf(path);
  const statements = [...text.matchAll(/^(?:import|export)\s([^'";]*?)\sfrom\s+'([^'\n]+)'/gm)];
  const named = statements.flatMap(([, clause = '', specifier = '']) => (isOfTypes(clause) ? [] : specifier));
  const loaded = [...text.matchAll(/(?<!typeof )\bimport\(\s*'([^'\n]+)'/g)].map(([, specifier = '']) => specifier);
  return [...named, ...loaded].flatMap((specifier) => target(path, specifier) ?? []);
}

/** Whether an import takes types alone: `type …`, or `{ type …, type … }`. */
const isOfTypes = (clause: string): boolean => /^type\s/.test(clause) || /^\{\s*(?:type\s[^,]+,?\s*)+\}$/.test(clause);

/** Resolves an import to a path of the project, or null for a package. */
export function target(path: string, specifier: string): string | null {
  if (/^#(domain|contract|server|web|test)\//.test(specifier))
    return specifier.replace(/^#test\//, 'test/').replace(/^#/, 'src/');
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : null;
}
