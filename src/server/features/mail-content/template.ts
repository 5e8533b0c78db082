import { Liquid, Parser, type Template, Tokenizer } from 'liquidjs';
import { escapeHtml, textOf } from './html-value.ts';
import { liquidFault, UNREADABLE } from './liquid-fault.ts';
import { FILTERS, type SourceFault, sizeFault, TAGS, tagFault } from './template-rules.ts';
import { runRenderer } from './template-segments.ts';
import { isNeverBlank, type TemplatePart, templateFaults } from './template-walk.ts';

/** The result of the check. `render` does not throw for any fields of the mails of one run. */
export type ReadTemplate =
  | { readonly ok: true; readonly render: (fields: object) => string }
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

/**
 * Parses and checks one part of a mail's template.
 * Every template that passes can be rendered, with bounded work and a result of bounded length (decisions/rendering).
 * @param withFooter adds our footer to the source, which the limits of size do not count
 */
export function readTemplate(
  part: TemplatePart,
  source: string,
  withFooter: (source: string) => string = (unchanged) => unchanged,
): ReadTemplate {
  const engine = part === 'html_body' ? html : plain;
  const tooLarge = sizeFault(source);
  if (tooLarge) return refuse(source, tooLarge);
  try {
    const templates = parse(engine, withFooter(source));
    if (!Array.isArray(templates)) return refuse(source, templates);
    const [fault] = templateFaults(templates, part);
    if (fault) return refuse(source, { at: fault.token.begin, reason: fault.reason ?? UNREADABLE });
    if (part !== 'html_body' && !isNeverBlank(templates)) return { ok: false, fault: BLANK_MESSAGES[part] };
    const render = (some: Template[], fields: object): string => engine.renderSync(some, fields);
    return { ok: true, render: runRenderer(templates, { render, write: part === 'html_body' ? escapeHtml : textOf }) };
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
