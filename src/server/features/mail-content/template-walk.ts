import {
  CaseTag,
  type Filter,
  ForTag,
  IfTag,
  Output,
  type Template,
  type Token,
  TypeGuards,
  UnlessTag,
  Value,
} from 'liquidjs';
import { MERGE_FIELDS } from '#domain/merge-fields.ts';
import { hasUnusableCharacter } from '#domain/person-name.ts';
import { unknownField } from './template-rules.ts';

export type TemplatePart = 'subject' | 'text_body' | 'html_body';

/** A fault of a parsed template; `reason` is null where its expression cannot be read. */
interface TemplateFault {
  readonly token: Token;
  readonly reason: string | null;
}

interface Scope {
  readonly part: TemplatePart;
  /** The variable of the `for` around it. */
  readonly loop: string | null;
  /** Whether what it makes goes into the mail, and is not asked about alone. */
  readonly isOutput: boolean;
}

const FIELDS: ReadonlySet<string> = new Set(MERGE_FIELDS.flatMap((field) => [field, `${field}.size`]));
const LOOP_FIELDS: ReadonlySet<string> = new Set(
  ['index', 'index0', 'rindex', 'rindex0', 'first', 'last', 'length'].map((name) => `forloop.${name}`),
);
/** Both forms hold a line for each date: written for each date once more, they would fill a mail. */
const isDates = (path: string): boolean => /^candidate_date(s|_lines)\b/.test(path);

/** The bodies of a block: of its branches, and of its `else` (null: it has none). */
function bodiesOf(template: Template): { branches: Template[][]; otherwise: Template[] | null } {
  const isChoice = template instanceof IfTag || template instanceof UnlessTag || template instanceof CaseTag;
  const branches = isChoice ? template.branches.map(({ templates }) => templates) : [];
  if (template instanceof ForTag) branches.push(template.templates);
  const { elseTemplates } = template as { elseTemplates?: Template[] };
  return { branches, otherwise: elseTemplates?.length ? elseTemplates : null };
}

/** Finds all that could fail when the template is rendered: in every branch, whatever the fields hold. */
export function* templateFaults(
  templates: readonly Template[],
  part: TemplatePart,
  loop: string | null = null,
): Generator<TemplateFault> {
  for (const template of templates) {
    const scope = { part, loop, isOutput: template instanceof Output };
    if (part === 'subject' && hasUnusableText(template)) yield { token: template.token, reason: UNUSABLE_CHARACTER };
    for (const argument of template.arguments?.() ?? []) {
      if (argument instanceof Value) yield* valueFaults(argument, template.token, scope);
      else yield* operandFaults(argument, scope);
    }
    const { branches, otherwise } = bodiesOf(template);
    const inner = template instanceof ForTag ? template.variable : loop;
    for (const body of branches) yield* templateFaults(body, part, inner);
    yield* templateFaults(otherwise ?? [], part, loop);
  }
}

const argumentsOf = ({ args }: Filter): Token[] =>
  args.flatMap((arg) => (Array.isArray(arg) ? arg.slice(1) : arg) as Token[]).filter(Boolean);

function* valueFaults({ initial, filters }: Value, token: Token, scope: Scope): Generator<TemplateFault> {
  if (!isWhole(initial.postfix)) yield { token, reason: null };
  for (const operand of [...initial.postfix, ...filters.flatMap(argumentsOf)]) yield* operandFaults(operand, scope);
}

/** Whether each operator has its operands, and one value is left: `a b`, `and a` and `a == not b` are no expressions. */
function isWhole(postfix: readonly Token[]): boolean {
  let values = 0;
  for (const token of postfix) {
    const taken = TypeGuards.isOperatorToken(token) ? (token.operator === 'not' ? 1 : 2) : 0;
    if (values < taken) return false;
    values += 1 - taken;
  }
  return values === 1;
}

function* operandFaults(token: Token, scope: Scope): Generator<TemplateFault> {
  const { part, loop, isOutput } = scope;
  if (TypeGuards.isRangeToken(token)) yield { token, reason: `「${token.getText()}」のような範囲は使えません` };
  if (part === 'subject' && TypeGuards.isQuotedToken(token) && hasUnusableCharacter(token.content)) {
    yield { token, reason: UNUSABLE_CHARACTER };
  }
  if (!TypeGuards.isPropertyAccessToken(token)) return;
  const path = pathOf(token);
  if (path === null || !isKnown(path, loop)) yield { token, reason: unknownField(path ?? token.getText()) };
  else if (part === 'subject' && isOutput && path.startsWith('candidate_dates')) {
    yield { token, reason: '件名に改行が入る場合があります' };
  } else if (loop !== null && isDates(path)) {
    yield { token, reason: `「{% for %}」の中で「${path}」は使えません` };
  }
}

const UNUSABLE_CHARACTER = '件名に使えない文字が含まれています。消して、入力し直してください';

/** Names alone: `sender.email`, `sender["email"]`. @returns null for a path that only its values could tell */
function pathOf({ variable, props }: { variable?: unknown; props: readonly Token[] }): string | null {
  if (variable) return null;
  const names = props.map((prop) =>
    TypeGuards.isWordToken(prop) || TypeGuards.isQuotedToken(prop) ? prop.content : null,
  );
  return names.includes(null) ? null : names.join('.');
}

function isKnown(path: string, loop: string | null): boolean {
  // A variable hides the field of the same name, and has no parts itself.
  if (loop !== null && (path === loop || path.startsWith(`${loop}.`))) return path === loop || path === `${loop}.size`;
  return FIELDS.has(path) || (loop !== null && LOOP_FIELDS.has(path));
}

const hasUnusableText = ({ token }: Template): boolean =>
  TypeGuards.isHTMLToken(token) && hasUnusableCharacter(token.getContent());

/** Fields that no mail is without. */
const NEVER_BLANK: ReadonlySet<string> = new Set([
  'company_name',
  'person_in_charge',
  'sender.person_in_charge',
  'sender.email',
]);

/** Whether something can be read in the result, whatever the fields hold. */
export const isNeverBlank = (templates: readonly Template[]): boolean =>
  templates.some((template) => {
    if (TypeGuards.isHTMLToken(template.token)) return template.token.getContent().trim() !== '';
    if (template instanceof Output) return isNeverBlankValue(template.value);
    if (template instanceof ForTag) return false;
    const { branches, otherwise } = bodiesOf(template);
    return otherwise !== null && [...branches, otherwise].every(isNeverBlank);
  });

function isNeverBlankValue({ initial, filters }: Value): boolean {
  const isFilled = (token: Token | undefined): boolean => {
    if (token === undefined) return false;
    if (TypeGuards.isQuotedToken(token)) return token.content.trim() !== '';
    return TypeGuards.isPropertyAccessToken(token) && NEVER_BLANK.has(pathOf(token) ?? '');
  };
  // Told which characters to strip, it may strip them all.
  if (filters.some(({ name, args }) => name === 'strip' && args.length > 0)) return false;
  if (initial.postfix.length === 1 && isFilled(initial.postfix[0])) return true;
  return filters.some((filter) => filter.name === 'default' && isFilled(argumentsOf(filter)[0]));
}
