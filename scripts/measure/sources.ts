import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5';

export const ROOT = join(import.meta.dirname, '../..');

/** Files that `npm run generate` writes. */
const GENERATED = ['src/server/platform/database/db-types.ts'];

export interface Source {
  /** Path from the root of the repository, with slashes. */
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
/** Checks whether a position lies in a text: a string, a template, the title of a test. */
export function isInText({ tree, lines }: Source, line: number, column: number): boolean {
  if (/^\s*(test|it|describe)\(/.test(lines[line] ?? '')) return true;
  const position = tree.getPositionOfLineAndCharacter(line, column);
  let found = false;
  const visit = (node: ts.Node): void => {
    if (position < node.getStart(tree) || position >= node.end) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) found = true;
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Checks whether a file belongs to the program. */
export const isProduct = (path: string): boolean => path.startsWith('src/') && !isTest(path);
