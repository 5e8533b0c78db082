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
import { hasUnusableCharacter } from '#domain/company/person-name.ts';
import { MERGE_FIELDS } from '#domain/mail/merge-fields.ts';
import { archivedField, unknownField } from './template-rules.ts';

export type TemplatePart = 'subject' | 'text_body' | 'html_body';

/** The keys of an account's own fields; true: the field is archived. */
export type OwnKeys = ReadonlyMap<string, boolean>;

/** A fault of a parsed template. `reason` null: the expression at `token` is malformed. */
interface TemplateFault {
  readonly token: Token;
  readonly reason: string | null;
}

interface Scope {
  readonly part: TemplatePart;
  /** undefined: any key passes, as in a run, whose template was checked at its acceptance. */
  readonly ownKeys: OwnKeys | undefined;
  /** The variable of the enclosing `for`, or null outside of one. */
  readonly loop: string | null;
  /** Whether the value is output into the mail, and not only tested. */
  readonly isOutput: boolean;
}

const FIELDS: ReadonlySet<string> = new Set(MERGE_FIELDS.flatMap((field) => [field, `${field}.size`]));
const LOOP_FIELDS: ReadonlySet<string> = new Set(
  ['index', 'index0', 'rindex', 'rindex0', 'first', 'last', 'length'].map((name) => `forloop.${name}`),
);
/** An own field of companies, alone or with its size. */
const OWN_FIELD = /^custom\.([a-z][a-z0-9_]{0,29})(?:\.size)?$/;
/** Checks for long fields: dates in both forms, signature, footer, own values. A loop would repeat them. */
const isLong = (path: string): boolean =>
  /^(candidate_date(s|_lines)|sender\.signature|legal_footer|custom|person)\b/.test(path);
const isLineBroken = (path: string): boolean => /^(candidate_dates|sender\.signature|legal_footer)\b/.test(path);

/** Returns the bodies of a block's branches, and of its `else` (null: none). */
function bodiesOf(template: Template): { branches: Template[][]; otherwise: Template[] | null } {
  const isChoice = template instanceof IfTag || template instanceof UnlessTag || template instanceof CaseTag;
  const branches = isChoice ? template.branches.map(({ templates }) => templates) : [];
  if (template instanceof ForTag) branches.push(template.templates);
  const { elseTemplates } = template as { elseTemplates?: Template[] };
  return { branches, otherwise: elseTemplates?.length ? elseTemplates : null };
}

/** Finds everything that could fail when the template is rendered, in every branch and for all values of the fields. */
export function* templateFaults(
  templates: readonly Template[],
  { part, ownKeys, loop = null }: Pick<Scope, 'part' | 'ownKeys'> & { readonly loop?: string | null },
): Generator<TemplateFault> {
  for (const template of templates) {
    const scope = { part, ownKeys, loop, isOutput: template instanceof Output };
    if (part === 'subject' && hasUnusableText(template)) yield { token: template.token, reason: UNUSABLE_CHARACTER };
    for (const argument of template.arguments?.() ?? []) {
      if (argument instanceof Value) yield* valueFaults(argument, template.token, scope);
      else yield* operandFaults(argument, scope);
    }
    const { branches, otherwise } = bodiesOf(template);
    const inner = template instanceof ForTag ? template.variable : loop;
    for (const body of branches) yield* templateFaults(body, { part, ownKeys, loop: inner });
    yield* templateFaults(otherwise ?? [], { part, ownKeys, loop });
  }
}

/** Returns the paths of all fields that a template or a nested one uses, without variables of loops. */
export function* fieldsOf(template: Template, loop: string | null = null): Generator<string> {
  const { branches, otherwise } = bodiesOf(template);
  for (const argument of template.arguments?.() ?? []) {
    for (const token of operandsOf(argument)) {
      const path = TypeGuards.isPropertyAccessToken(token) ? pathOf(token) : null;
      if (path !== null && rootOf(path) !== loop) yield path;
    }
  }
  const inner = template instanceof ForTag ? template.variable : loop;
  for (const nested of branches.flat()) yield* fieldsOf(nested, inner);
  for (const nested of otherwise ?? []) yield* fieldsOf(nested, loop);
}

/** Returns the field or group of fields to which a path belongs: `sender` of `sender.email`. */
export const rootOf = (path: string): string => path.split('.')[0] ?? '';

const operandsOf = (argument: Value | Token): Token[] =>
  argument instanceof Value ? [...argument.initial.postfix, ...argument.filters.flatMap(argumentsOf)] : [argument];

/** Returns the field that an output prints unchanged; null: another kind of output. */
export function bareField(template: Template): string | null {
  if (!(template instanceof Output)) return null;
  const { initial, filters } = template.value;
  const [operand, ...others] = initial.postfix;
  if (!operand || others.length > 0 || filters.length > 0 || !TypeGuards.isPropertyAccessToken(operand)) return null;
  return pathOf(operand);
}

const argumentsOf = ({ args }: Filter): Token[] =>
  args.flatMap((arg) => (Array.isArray(arg) ? arg.slice(1) : arg) as Token[]).filter(Boolean);

function* valueFaults(value: Value, token: Token, scope: Scope): Generator<TemplateFault> {
  if (!isWhole(value.initial.postfix)) yield { token, reason: null };
  for (const operand of operandsOf(value)) yield* operandFaults(operand, scope);
}

/**
 * Checks that each operator has its operands and exactly one value remains.
 * Fails for `a b`, `and a` and `a == not b`, which the parser accepts.
 */
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
  const { part } = scope;
  if (TypeGuards.isRangeToken(token)) yield { token, reason: `「${token.getText()}」のような範囲は使えません` };
  if (part === 'subject' && TypeGuards.isQuotedToken(token) && hasUnusableCharacter(token.content)) {
    yield { token, reason: UNUSABLE_CHARACTER };
  }
  if (!TypeGuards.isPropertyAccessToken(token)) return;
  const path = pathOf(token);
  const reason = path === null ? unknownField(token.getText()) : pathFault(path, scope);
  if (reason !== null) yield { token, reason };
}

function pathFault(path: string, { part, loop, ownKeys, isOutput }: Scope): string | null {
  if (!isKnown(path, loop)) return unknownField(path);
  // A variable of a loop shadows the field of the same name.
  if (rootOf(path) === loop) return null;
  const key = ownKeyOf(path);
  if (key !== null && ownKeys) {
    const isArchived = ownKeys.get(key);
    if (isArchived !== false) return isArchived ? archivedField(path) : unknownField(path);
  }
  if (part === 'subject' && isOutput && isLineBroken(path)) return '件名に改行が入る場合があります';
  return loop !== null && isLong(path) ? `「{% for %}」の中で「${path}」は使えません` : null;
}

const UNUSABLE_CHARACTER = '件名に使えない文字が含まれています。消して、入力し直してください';

/**
 * Returns the dotted path of a field access: `sender.email` also for `sender["email"]`.
 * @returns null if a part of the path depends on a value, as in `sender[name]`
 */
function pathOf({ variable, props }: { variable?: unknown; props: readonly Token[] }): string | null {
  if (variable) return null;
  const names = props.map((prop) =>
    TypeGuards.isWordToken(prop) || TypeGuards.isQuotedToken(prop) ? prop.content : null,
  );
  // sender["email.size"] is not sender.email.size.
  return names.every((name) => name !== null && !name.includes('.')) ? names.join('.') : null;
}

function isKnown(path: string, loop: string | null): boolean {
  // The variable of a loop is a string, of which only `size` can be read.
  if (rootOf(path) === loop) return path === loop || path === `${loop}.size`;
  return FIELDS.has(path) || OWN_FIELD.test(path) || (loop !== null && LOOP_FIELDS.has(path));
}

/** Returns the own field that a path names; null: another field. */
export const ownKeyOf = (path: string): string | null => OWN_FIELD.exec(path)?.[1] ?? null;

const hasUnusableText = ({ token }: Template): boolean =>
  TypeGuards.isHTMLToken(token) && hasUnusableCharacter(token.getContent());

/** Fields that are never blank in a mail. */
const NEVER_BLANK: ReadonlySet<string> = new Set([
  'company_name',
  'person_in_charge',
  'sender.person_in_charge',
  'sender.email',
]);

/** Checks that the rendered text is never blank, for all values of the fields. */
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
  // With an argument, `strip` could remove every character.
  if (filters.some(({ name, args }) => name === 'strip' && args.length > 0)) return false;
  if (initial.postfix.length === 1 && isFilled(initial.postfix[0])) return true;
  return filters.some((filter) => filter.name === 'default' && isFilled(argumentsOf(filter)[0]));
}
