import { setImmediate as nextTurn } from 'node:timers/promises';
import { Liquid, type Template } from 'liquidjs';
import { isMergeField } from '#domain/merge-fields.ts';
import { isUnsafeHeader } from '../../platform/mail/compose.ts';
import { readLiquidFault, unknownField } from '../sending/liquid-fault.ts';
import { LIQUID_LIMITS, mailFields } from '../sending/run-mail.ts';
import { EXAMPLE_MAIL, exampleDates } from './example-mail.ts';

/** `path`: the field of the body, as in the answers to what a schema refuses. */
export interface TemplateFault {
  readonly path: string;
  readonly message: string;
}

/**
 * Stricter than the engine that sends, which must go on rendering what was accepted once: a filter nobody knows is a fault, and so is
 * a template that keeps the program busy for a fifth of a second.
 */
const strict = new Liquid({ ...LIQUID_LIMITS, templates: {}, strictFilters: true, renderLimit: 200 });

/**
 * What keeps mails from being made of these templates, at most one fault each: in its text, in a branch that no example enters, or
 * in one of the mails that sending would make of it. @param parts by their path in the body @param now epoch milliseconds
 */
export async function templateFaults(parts: Readonly<Record<string, string>>, now: number): Promise<TemplateFault[]> {
  const examples = exampleFields(now);
  const faults: TemplateFault[] = [];
  for (const [path, template] of Object.entries(parts)) {
    const message = await faultOf(path, template, examples);
    if (message !== null) faults.push({ path, message });
  }
  return faults;
}

/** A person known or not, dates offered or not. */
const exampleFields = (now: number) =>
  ['山田 太郎', ''].flatMap((person_in_charge) =>
    [exampleDates(now), []].map((candidate_dates) =>
      mailFields({ ...EXAMPLE_MAIL, candidate_dates }, { company_name: '株式会社見本', person_in_charge }),
    ),
  );

async function faultOf(path: string, template: string, examples: readonly object[]): Promise<string | null> {
  try {
    const parsed = strict.parse(template);
    const unknown = firstUnknown(parsed);
    if (unknown) return atLine(unknown.line, unknownField(unknown.name));
    for (const fields of examples) {
      // Others wait no longer than for one of them.
      await nextTurn();
      const fault = badResult(path, strict.renderSync(parsed, fields));
      if (fault !== null) return fault;
    }
    return null;
  } catch (error) {
    const { line, reason } = readLiquidFault(error);
    return line === null ? reason : atLine(line, reason);
  }
}

const atLine = (line: number, reason: string): string => `${line}行目：${reason}`;

function firstUnknown(parsed: Template[]): { name: string; line: number } | undefined {
  const { globals } = strict.analyzeSync(parsed, { partials: false });
  return Object.values(globals)
    .flat()
    .map(({ segments, location }) => ({ name: segments.map(String).join('.'), line: location.row }))
    .filter(({ name }) => !isMergeField(name))
    .sort((one, other) => one.line - other.line)[0];
}

function badResult(path: string, rendered: string): string | null {
  const isBlank = rendered.trim() === '';
  if (path === 'text_body') return isBlank ? '担当者や候補日の有無によって、本文が空になります' : null;
  if (path === 'html_body') return null;
  if (isBlank) return '担当者や候補日の有無によって、件名が空になります';
  return isUnsafeHeader(rendered.trim()) ? '件名に改行が入る場合があります' : null;
}
