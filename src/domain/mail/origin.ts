import { parseMailAddress } from './address.ts';
import { addressKey } from './address-key.ts';

/** Reads a mail's author, and what the receiving server's header field says about the author. */

/** A server that checked a mail, and the From domain that passed DMARC. Both in the form of addressKey. */
export interface DmarcPass {
  readonly server: string;
  readonly domain: string;
}

interface Token {
  readonly kind: 'word' | 'quoted' | 'mark';
  readonly text: string;
  /** Blanks or a comment precede the token. */
  readonly isApart: boolean;
}

/** A longer field is not read, which bounds the work on each. */
const MAX_FIELD_LENGTH = 16 * 1024;

const BLANKS = /[ \t]+/y;
const QUOTED = /"([^"\\]*(?:\\.[^"\\]*)*)"/y;

/**
 * Splits a structured field (RFC 5322 §3.2) into tokens without its comments. The time is linear in the field.
 * @param word matches one word, sticky; other characters are marks
 * @returns null for an unclosed comment or quoted string, and for control characters
 */
function tokensOf(field: string, word: RegExp): Token[] | null {
  if (field.length > MAX_FIELD_LENGTH || /\p{Cc}/u.test(field.replaceAll('\t', ''))) return null;
  const tokens: Token[] = [];
  let isApart = false;
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [all = '', inner = all] = pattern.exec(field) ?? [];
    at += all.length;
    return all === '' ? undefined : inner;
  };
  const add = (kind: Token['kind'], text: string): void => {
    tokens.push({ kind, text, isApart });
    isApart = false;
  };
  while (at < field.length) {
    if (match(BLANKS) !== undefined) isApart = true;
    else if (field[at] === '(') {
      const end = commentEnd(field, at);
      if (end === null) return null;
      at = end;
      isApart = true;
    } else {
      const quoted = match(QUOTED);
      const text = quoted ?? match(word);
      if (quoted !== undefined) add('quoted', quoted.replace(/\\(.)/g, '$1'));
      else if (text !== undefined) add('word', text);
      else if (')"\\'.includes(field.charAt(at))) return null;
      else add('mark', field.charAt(at++));
    }
  }
  return tokens;
}

/** Comments nest. @returns the place after the comment that starts at `start`; null if it is unclosed */
function commentEnd(field: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < field.length; at += 1) {
    if (field[at] === '(') depth += 1;
    else if (field[at] === ')') depth -= 1;
    else if (field[at] === '\\') at += 1;
    if (depth === 0) return at + 1;
  }
  return null;
}

const PHRASE_WORD = /[^\s()"\\<>,:;]+/y;

/**
 * Returns the address of a mail's only From field, if that is exactly one plain address, with or without a name.
 * Several fields or addresses, groups, routes and quoted local parts yield null: programs read them differently.
 * @param fields the values of all From fields, unfolded and not decoded
 * @returns in the form of addressKey
 */
export function singleFrom(fields: readonly string[]): string | null {
  const [field, ...others] = fields;
  if (field === undefined || others.length > 0) return null;
  const tokens = tokensOf(field, PHRASE_WORD);
  if (tokens === null) return null;
  const [open, ...close] = tokens.flatMap(({ kind }, index) => (kind === 'mark' ? [index] : []));
  const inner = open === undefined ? tokens : tokens.slice(open + 1, -1);
  const marks = tokens.flatMap(({ kind, text }) => (kind === 'mark' ? text : [])).join('');
  if (open !== undefined && (marks !== '<>' || close[0] !== tokens.length - 1)) return null;
  const [address, ...more] = inner;
  if (address?.kind !== 'word' || more.length > 0 || /[^\x21-\x7e]/.test(address.text)) return null;
  const parsed = parseMailAddress(address.text);
  return parsed.ok ? addressKey(parsed.address) : null;
}

const RESULT_WORD = /[^\s()"\\;=]+/y;

/** Longer names of servers and domains do not exist. */
const MAX_NAME_LENGTH = 255;

/**
 * Reads `Authentication-Results` (RFC 8601 §2.2): which server wrote it, and which domain of From passed DMARC.
 * It proves nothing by itself: anybody may write such a field.
 * @param field the value of the topmost one, unfolded and not decoded; null: the mail has none
 * @returns null where it says no such thing, says it twice, or cannot be read
 */
export function readDmarcPass(field: string | null): DmarcPass | null {
  const [head = [], ...results] = splitAt(tokensOf(field ?? '', RESULT_WORD) ?? [], ';');
  const server = serverOf(head);
  const domain = passedDomain(results.filter((result) => result.length > 0).map(propertiesOf));
  if (server === null || domain === null || Math.max(domain.length, server.length) > MAX_NAME_LENGTH) return null;
  return { server: addressKey(server), domain: addressKey(domain) };
}

/** Returns which server wrote the field, as it names itself; null where the field cannot be read. */
function serverOf([server, version, ...more]: readonly Token[]): string | null {
  if (server === undefined || server.kind === 'mark' || more.length > 0) return null;
  // A field of a later version may mean something else.
  return version === undefined || (version.isApart && version.text === '1') ? server.text : null;
}

/** Returns the domain of From in the only result of DMARC, where that is `pass`. */
function passedDomain(results: readonly (readonly Property[] | null)[]): string | null {
  const [dmarc, ...more] = results.filter((result) => /^dmarc(?:$|\/)/.test(result?.[0]?.name ?? ''));
  if (!dmarc || more.length > 0 || results.includes(null)) return null;
  const [method, ...properties] = dmarc;
  if (!/^dmarc(?:\/1)?$/.test(method?.name ?? '') || method?.value.toLowerCase() !== 'pass') return null;
  const [from, ...others] = properties.filter(({ name }) => name === 'header.from');
  return from === undefined || from.value === '' || others.length > 0 ? null : from.value;
}

function splitAt(tokens: readonly Token[], mark: string): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'mark' && token.text === mark) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

interface Property {
  /** In lower case: `dmarc`, `header.from`. */
  readonly name: string;
  readonly value: string;
}

/** No method or property has a longer name. */
const MAX_PROPERTY_NAME_LENGTH = 64;

/**
 * Reads `dmarc=pass header.from=a.example`. A value may contain `=`, and ends at blanks.
 * @returns null for another text
 */
function propertiesOf(tokens: readonly Token[]): Property[] | null {
  const properties: Property[] = [];
  let name = '';
  // The parts of the value, after its `=` was read.
  let parts: string[] | null = null;
  for (const { kind, text, isApart } of tokens) {
    if (parts !== null && parts.length > 0 && isApart) {
      properties.push({ name, value: parts.join('') });
      name = '';
      parts = null;
    }
    if (parts !== null) parts.push(text);
    else if (kind === 'mark' && name !== '') parts = [];
    else if (kind === 'word' && name.length + text.length <= MAX_PROPERTY_NAME_LENGTH) {
      // Within a name, blanks are allowed only beside its dots: `header . from`.
      name = addressKey(`${name}${isApart && name !== '' ? ' ' : ''}${text}`).replace(/ ?([./]) ?/g, '$1');
    } else return null;
  }
  return parts === null || parts.length === 0 ? null : [...properties, { name, value: parts.join('') }];
}
