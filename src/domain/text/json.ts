import { MAX_JSON_DEPTH, MAX_JSON_NAMES } from '../limits.ts';

/** Names that reach the prototype shared by all objects. No call has fields of these names. */
const REFUSED_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Parses untrusted JSON more strictly than JSON.parse. Before building a value it refuses more than MAX_JSON_DEPTH
 * levels, and more than MAX_JSON_NAMES names in an object. It also refuses a repeated name in one object (readers would
 * see different values), names that reach prototypes, and text that PostgreSQL cannot store (NUL, lone surrogates).
 * @throws SyntaxError whose message is for the user
 */
export function parseJson(text: string): unknown {
  /** The names seen in each open object; null for an open array. */
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '{' || char === '[') {
      open.push(char === '{' ? new Set() : null);
      if (open.length > MAX_JSON_DEPTH) throw new SyntaxError(`JSONの入れ子は${MAX_JSON_DEPTH}段までにしてください。`);
    } else if (char === '}' || char === ']') {
      open.pop();
    } else if (char === '"') {
      const end = endOfString(text, at);
      const quoted = text.slice(at, end);
      if (ODD_ESCAPE.test(quoted)) refuseOddText(quoted);
      const names = open.at(-1);
      if (names && isName(text, end)) addName(names, quoted);
      at = end - 1;
    }
  }
  return readable(text);
}

const TOO_MANY_NAMES = `JSONの1つのオブジェクトに書ける項目は${MAX_JSON_NAMES}個までです。項目を減らしてください。`;

/**
 * Adds a quoted name to the names of its object.
 * @throws SyntaxError for a name that is refused, repeated, or one too many
 */
function addName(names: Set<string>, quoted: string): void {
  const name = quoted.includes('\\') ? String(readable(quoted)) : quoted.slice(1, -1);
  if (REFUSED_NAMES.has(name)) throw new SyntaxError(`「${name}」という項目は使えません。`);
  if (names.has(name)) throw new SyntaxError('JSONに同じ名前の項目が2つあります。1つにしてください。');
  if (names.size >= MAX_JSON_NAMES) throw new SyntaxError(TOO_MANY_NAMES);
  names.add(name);
}

/** @returns the index after the closing quote, or the end of the text */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** Matches an escape that may be NUL or a lone surrogate. Only a value with one is parsed twice. */
const ODD_ESCAPE = /\\u(?:0000|d[89a-f])/i;

function refuseOddText(quoted: string): void {
  const value = String(readable(quoted));
  if (value.includes('\u0000') || !value.isWellFormed()) {
    throw new SyntaxError('使えない文字が含まれています。取り除いて、やり直してください。');
  }
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return text[at] === ':';
}

function readable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError('JSONとして読み取れません。書き方を確認してください。');
  }
}
