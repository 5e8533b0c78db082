import { type TagToken, type TopLevelToken, TypeGuards } from 'liquidjs';
import { MAX_TEMPLATE_LENGTH } from '#domain/limits.ts';

/**
 * The tags that a template may use. With the limits below, every rendering ends in bounded time (decisions/rendering).
 */
export const TAGS = ['if', 'unless', 'case', 'for', 'comment', 'raw'];
/** The filters that a template may use. */
export const FILTERS = ['default', 'strip', 'upcase', 'downcase', 'size'];
const BLOCKS = ['if', 'unless', 'case', 'for'];
/** Tags that separate the branches of a block. */
const BRANCHES = ['else', 'elsif', 'when'];

/** The only list that `for` may iterate over. */
export const LOOP_FIELD = 'candidate_date_lines';
const LOOP = new RegExp(`^(\\w+)\\s+in\\s+${LOOP_FIELD}$`);

/** The most tags and outputs in one template. */
export const MAX_TAGS = 500;
/** The most characters in one tag or output, with its braces. */
export const MAX_TAG_LENGTH = 500;
/** The most nested blocks. */
export const MAX_NESTING = 10;
/** The most characters of a template's loops, each from `for` to `endfor`. A loop runs up to a hundred times. */
export const MAX_LOOP_LENGTH = 2000;

/** A fault in a template's source. `at`: the index of its first character; `reason`: Japanese, for the author. */
export interface SourceFault {
  readonly at: number;
  readonly reason: string;
}

/** Checks that a source is small enough to tokenize. @returns the exceeded limit, or null */
export function sizeFault(source: string): SourceFault | null {
  if (source.length > MAX_TEMPLATE_LENGTH) {
    return { at: MAX_TEMPLATE_LENGTH, reason: `${MAX_TEMPLATE_LENGTH}文字以下にしてください` };
  }
  let count = 0;
  for (const { index } of source.matchAll(/\{[{%]/g)) {
    count += 1;
    if (count > MAX_TAGS) return { at: index, reason: `タグと差し込み項目は、合わせて${MAX_TAGS}個までにしてください` };
  }
  return null;
}

/**
 * Finds the first tag that is not allowed at its position.
 * Runs before the parser, which recurses into blocks and could overflow the stack.
 */
export function tagFault(tokens: readonly TopLevelToken[]): SourceFault | null {
  const blocks: TagToken[] = [];
  let loopLength = 0;
  let isComment = false;
  for (const token of tokens) {
    if (TypeGuards.isHTMLToken(token)) continue;
    const name = TypeGuards.isTagToken(token) ? token.name : null;
    if (isComment) {
      isComment = name !== 'endcomment';
      continue;
    }
    const reason = faultOf(token, blocks);
    if (reason !== null) return { at: token.begin, reason };
    isComment = name === 'comment';
    if (name?.startsWith('end')) {
      const opened = blocks.pop();
      if (opened?.name === 'for') loopLength += token.end - opened.begin;
      if (opened && loopLength > MAX_LOOP_LENGTH) return { at: opened.begin, reason: LOOP_TOO_LONG };
    }
    if (TypeGuards.isTagToken(token) && BLOCKS.includes(token.name)) blocks.push(token);
  }
  return null;
}

function faultOf(token: TopLevelToken, blocks: readonly TagToken[]): string | null {
  if (token.size() > MAX_TAG_LENGTH) return `1つのタグは${MAX_TAG_LENGTH}文字以下にしてください`;
  if (!TypeGuards.isTagToken(token)) return null;
  const { name, args } = token;
  if (name === 'for') {
    if (blocks.some((block) => block.name === 'for')) return '「{% for %}」の中で「{% for %}」は使えません';
    const variable = LOOP.exec(args)?.[1];
    if (variable === undefined || variable === 'forloop') return LOOP_FORM;
  }
  if (BLOCKS.includes(name)) {
    return blocks.length < MAX_NESTING ? null : `タグの入れ子は${MAX_NESTING}段までにしてください`;
  }
  return TAGS.includes(name) || BRANCHES.includes(name) || name.startsWith('end') ? null : unusableTag(name);
}

const LOOP_FORM = `「{% for %}」は「{% for line in ${LOOP_FIELD} %}」の形だけが使えます`;
const LOOP_TOO_LONG = `「{% for %}」から「{% endfor %}」までは、合わせて${MAX_LOOP_LENGTH}文字以下にしてください`;

/** The most characters of a template that a message quotes. */
const MAX_QUOTE_LENGTH = 40;
/** Shortens a piece of a template for a quotation. */
export const quoted = (source: string): string => source.slice(0, MAX_QUOTE_LENGTH);

export const unusableTag = (name: string): string =>
  `「{% ${quoted(name)} %}」というタグは使えません（使えるタグ：${TAGS.join('、')}）`;
export const unusableFilter = (name: string): string =>
  `「${quoted(name)}」というフィルターは使えません（使えるフィルター：${FILTERS.join('、')}）`;
export const unknownField = (name: string): string => `「${quoted(name)}」という差し込み項目はありません`;
export const archivedField = (name: string): string => `「${quoted(name)}」は、いまは使っていない項目です`;
