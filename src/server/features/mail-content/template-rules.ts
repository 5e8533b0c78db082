import { type TagToken, type TopLevelToken, TypeGuards } from 'liquidjs';
import { MAX_TEMPLATE_LENGTH } from '#domain/limits.ts';

/** The tags of a template. With the limits below each template ends, and soon: decision 0078. */
export const TAGS = ['if', 'unless', 'case', 'for', 'comment', 'raw'];
export const FILTERS = ['default', 'strip', 'upcase', 'downcase', 'size'];
const BLOCKS = ['if', 'unless', 'case', 'for'];
/** Tags that divide the body of a block. */
const BRANCHES = ['else', 'elsif', 'when'];

/** The only list that `for` may walk over. */
export const LOOP_FIELD = 'candidate_date_lines';
const LOOP = new RegExp(`^(\\w+)\\s+in\\s+${LOOP_FIELD}$`);

/** Tags and outputs of a template. */
export const MAX_TAGS = 500;
export const MAX_TAG_LENGTH = 500;
export const MAX_NESTING = 10;
/** Characters of all loops of a template; each is written up to a hundred times. */
export const MAX_LOOP_LENGTH = 2000;

/** `at`: the index of the character to blame. */
export interface SourceFault {
  readonly at: number;
  readonly reason: string;
}

/** Finds what makes a source too large to tokenize. */
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

/** Finds the first tag that is not allowed where it stands. It runs before the parser, which recurses into blocks. */
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

/** Of what an author wrote, so many characters are quoted. */
const MAX_QUOTE = 40;
export const quoted = (written: string): string => written.slice(0, MAX_QUOTE);

export const unusableTag = (name: string): string =>
  `「{% ${quoted(name)} %}」というタグは使えません（使えるタグ：${TAGS.join('、')}）`;
export const unusableFilter = (name: string): string =>
  `「${quoted(name)}」というフィルターは使えません（使えるフィルター：${FILTERS.join('、')}）`;
export const unknownField = (name: string): string => `「${quoted(name)}」という差し込み項目はありません`;
