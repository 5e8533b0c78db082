import ts from 'typescript-5';
import type { Source } from './sources.ts';

/** The defaults of jscpd, with one line more. */
const MIN_TOKENS = 50;
const MIN_LINES = 6;

export interface Duplicate {
  readonly lines: number;
  /** `path:first-last` of both places. */
  readonly places: readonly [string, string];
}

interface Token {
  readonly text: string;
  readonly path: string;
  readonly line: number;
}

/**
 * Finds pairs of places with the same run of tokens, longest first.
 * Comments, layout and imports are ignored; names count.
 */
export function findDuplicates(sources: readonly Source[]): Duplicate[] {
  const tokens = sources.flatMap(tokensOf);
  const firstSeen = new Map<string, number>();
  const found: Duplicate[] = [];
  for (let at = 0; at + MIN_TOKENS <= tokens.length; at += 1) {
    const key = keyAt(tokens, at);
    const earlier = key === null ? undefined : firstSeen.get(key);
    if (key !== null && earlier === undefined) firstSeen.set(key, at);
    if (earlier === undefined) continue;
    const length = sharedLength(tokens, earlier, at);
    const places = [spanOf(tokens, earlier, length), spanOf(tokens, at, length)] as const;
    const lines = Math.min(...places.map(({ last, first }) => last - first + 1));
    if (lines >= MIN_LINES) found.push({ lines, places: [places[0].text, places[1].text] });
    at += length - 1;
  }
  return found.toSorted((a, b) => b.lines - a.lines);
}

/** Returns the key of the window at an index, or null where it reaches into the next file. */
function keyAt(tokens: readonly Token[], at: number): string | null {
  const window = tokens.slice(at, at + MIN_TOKENS);
  return window[0]?.path === window.at(-1)?.path ? window.map(({ text }) => text).join(' ') : null;
}

/** Counts the equal tokens from both places on, without overlap and within their files. */
function sharedLength(tokens: readonly Token[], a: number, b: number): number {
  let length = 0;
  while (
    a + length < b &&
    tokens[a + length]?.text === tokens[b + length]?.text &&
    tokens[a + length]?.path === tokens[a]?.path &&
    tokens[b + length]?.path === tokens[b]?.path
  ) {
    length += 1;
  }
  return Math.max(length, 1);
}

function spanOf(tokens: readonly Token[], at: number, length: number) {
  const { path, line: first } = tokens[at] ?? { path: '', line: 0 };
  const last = tokens[at + length - 1]?.line ?? first;
  return { first, last, text: `${path}:${first}-${last}` };
}

function tokensOf({ path, tree }: Source): Token[] {
  const tokens: Token[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    const children = node.getChildren(tree);
    if (children.length > 0) {
      for (const child of children) if (!ts.isJSDoc(child)) visit(child);
      return;
    }
    const text = node.getText(tree);
    if (text === '') return;
    tokens.push({ text, path, line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1 });
  };
  visit(tree);
  return tokens;
}
