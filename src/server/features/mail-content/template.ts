import { Liquid, LiquidError, Parser, type Template, Tokenizer } from 'liquidjs';
import { escapeHtml, textOf } from './html-value.ts';
import { FILTERS, quoted, type SourceFault, sizeFault, TAGS, tagFault, unusableFilter } from './template-rules.ts';
import {
  bareField,
  fieldsOf,
  isNeverBlank,
  type OwnKeys,
  rootOf,
  type TemplatePart,
  templateFaults,
} from './template-walk.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Writers {
  readonly render: (templates: Template[], fields: object) => string;
  /** Prints the value of a field, as `render` does. */
  readonly write: (value: unknown) => string;
}

/** The reason when the parser's message would not help an author. */
const UNREADABLE = 'テンプレートの書き方が正しくありません';

/** The result of the check. `render` throws for no values of a run's mails. */
export type ReadTemplate =
  /** `fields`: the paths of the merge fields that it names. */
  | { readonly ok: true; readonly render: (fields: object) => string; readonly fields: ReadonlySet<string> }
  /** `fault`: Japanese, for the author, with the line number. */
  | { readonly ok: false; readonly fault: string };

/** Makes an engine with only the allowed tags and filters, without file access or inherited properties. */
function engineOf(outputEscape?: (value: unknown) => string): Liquid {
  const engine = new Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    templates: {},
    ...(outputEscape && { outputEscape }),
  });
  keepOnly(engine.tags, TAGS);
  keepOnly(engine.filters, FILTERS);
  return engine;
}

function keepOnly(known: Record<string, unknown>, allowed: readonly string[]): void {
  for (const name of Object.keys(known)) if (!allowed.includes(name)) delete known[name];
}

const plain = engineOf();

const html = engineOf(escapeHtml);

interface ReadOptions {
  readonly withFooter?: (source: string) => string;
  readonly ownKeys?: OwnKeys | undefined;
}

/**
 * Parses and checks one part of a mail's template.
 * Every template that passes can be rendered, with bounded work and a result of bounded length (decisions/rendering).
 * @param withFooter adds our footer to the source; the size limits do not count it
 * @param ownKeys of the account's own fields; undefined: any key passes
 */
export function readTemplate(
  part: TemplatePart,
  source: string,
  { withFooter = (unchanged) => unchanged, ownKeys }: ReadOptions = {},
): ReadTemplate {
  const engine = part === 'html_body' ? html : plain;
  const tooLarge = sizeFault(source);
  if (tooLarge) return refuse(source, tooLarge);
  try {
    const templates = parse(engine, withFooter(source));
    if (!Array.isArray(templates)) return refuse(source, templates);
    const [fault] = templateFaults(templates, { part, ownKeys });
    if (fault) return refuse(source, { at: fault.token.begin, reason: fault.reason ?? UNREADABLE });
    if (part !== 'html_body' && !isNeverBlank(templates)) return { ok: false, fault: BLANK_MESSAGES[part] };
    const render = (some: Template[], fields: object): string => engine.renderSync(some, fields);
    const writers = { render, write: part === 'html_body' ? escapeHtml : textOf };
    const fields = new Set(templates.flatMap((template) => [...fieldsOf(template)]));
    return { ok: true, render: runRenderer(templates, writers), fields };
  } catch (error) {
    return { ok: false, fault: liquidFault(error) };
  }
}

/** Parses a source that passes the rules. @throws LiquidError for a source that the parser refuses */
function parse(engine: Liquid, source: string): Template[] | SourceFault {
  const tokens = new Tokenizer(source).readTopLevelTokens();
  return tagFault(tokens) ?? new Parser(engine).parseTokens(tokens);
}

const refuse = (source: string, { at, reason }: SourceFault): ReadTemplate => ({
  ok: false,
  fault: `${source.slice(0, at).split('\n').length}行目：${reason}`,
});

const BLANK_MESSAGES = {
  subject: '条件によっては、件名が空になります。どの場合にも残る文を書いてください',
  text_body: '条件によっては、本文が空になります。どの場合にも残る文を書いてください',
};

/**
 * Turns an error of the Liquid parser into a message for the author of the template.
 * @returns a Japanese message, with the line number where the parser gives one
 * @throws the error itself when it is not the parser's
 */
function liquidFault(error: unknown): string {
  if (!LiquidError.is(error)) throw error;
  const position = /, line:(\d+), col:\d+$/.exec(error.message);
  const reason = translate(position ? error.message.slice(0, position.index) : error.message);
  return position ? `${position[1]}行目：${reason}` : reason;
}

/** Patterns of the parser's English messages, and the Japanese message that replaces each. */
const PARSER_MESSAGES: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/^undefined filter: (.*)/, unusableFilter],
  [/^tag "(.*)" not found/, (name) => `「{% ${quoted(name)} %}」に対応する始まりのタグがありません`],
  [/^tag ".* not closed/s, () => '「{%」が「%}」で閉じられていません'],
  [/^tag (\{%.*%\}) not closed/s, (tag) => `「${quoted(tag)}」を閉じるタグがありません`],
  [/^output .* not closed/s, () => '「{{」が「}}」で閉じられていません'],
  [/^raw .* not closed/s, () => '「{% raw %}」が「{% endraw %}」で閉じられていません'],
];

function translate(message: string): string {
  for (const [pattern, messageFor] of PARSER_MESSAGES) {
    const match = pattern.exec(message);
    if (match) return messageFor(match[1] ?? '');
  }
  return UNREADABLE;
}

/**
 * Returns a renderer for the mails of one run.
 * Templates without fields of single mails are rendered once, with the first mail. No allowed tag assigns a variable
 * (template-rules.ts), so a template's parts are independent.
 */
function runRenderer(templates: readonly Template[], writers: Writers): (fields: object) => string {
  let segments: (string | ((fields: Fields) => string))[] | null = null;
  return (fields) => {
    segments ??= segmentsOf(templates, writers, fields);
    return segments.map((segment) => (typeof segment === 'string' ? segment : segment(fields as Fields))).join('');
  };
}

/** The fields that differ between the mails of a run (mailFields in run-mail.ts). */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'company_name',
  'person_in_charge',
  'legal_footer',
  'unsubscribe_url',
  'custom',
  'person',
]);

function segmentsOf(templates: readonly Template[], { render, write }: Writers, fields: object) {
  const segments: (string | ((fields: Fields) => string))[] = [];
  for (const template of templates) {
    const readFrom = bareOwnField(template);
    const isShared = ![...fieldsOf(template)].some((path) => OWN_FIELDS.has(rootOf(path)));
    if (isShared) segments.push(render([template], fields));
    else if (readFrom) segments.push((own) => write(readFrom(own)));
    else segments.push((own) => render([template], own));
  }
  return segments;
}

/** Returns how to read the own field that an output prints unchanged; null: another kind of output. */
function bareOwnField(template: Template): ((fields: Fields) => unknown) | null {
  const path = bareField(template);
  if (path === null || path.endsWith('.size')) return null;
  if (OWN_FIELDS.has(path)) return (own) => own[path];
  const [group = '', name = ''] = path.split('.');
  return OWN_FIELDS.has(group) ? (own) => (own[group] as Fields)[name] : null;
}
