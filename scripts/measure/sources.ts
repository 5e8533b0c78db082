import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5';

export const ROOT = join(import.meta.dirname, '../..');

/** Made by `npm run generate`. */
const GENERATED = ['src/server/platform/db-types.ts'];

export interface Source {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly lines: readonly string[];
  readonly tree: ts.SourceFile;
}

/** Returns every tracked or new script and style sheet of the repository, parsed. Style sheets have an empty tree. */
export function readSources(): Source[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  return files
    .filter((path) => /\.(tsx?|m?js|css)$/.test(path) && !GENERATED.includes(path) && existsSync(join(ROOT, path)))
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      const tree = ts.createSourceFile(path, path.endsWith('.css') ? '' : text, ts.ScriptTarget.Latest, true);
      return { path, lines: text.replace(/\n$/, '').split('\n'), tree };
    });
}

export const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);
/** What the program consists of. */
export const isProduct = (path: string): boolean => path.startsWith('src/') && !isTest(path);
