import { isDeepStrictEqual } from 'node:util';
import { branches, isJsonText, type JsonSchema } from './json-schema.ts';

/** One field of a call as the page shows it. */
export interface FieldRow {
  /** The path from the top: `add_info.prospect_id`, `attack_list[].prospect_id`, `where_info[id]`. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  /** The limits of a value, in short phrases. */
  readonly limits: readonly string[];
}

const TYPES: Record<string, string> = {
  integer: '整数',
  number: '数値',
  string: '文字列',
  boolean: '真偽値',
  object: 'オブジェクト',
  null: 'null',
};

/** Joins a field's name to its parent's, by a dot in JSON, in brackets in a query. */
type Naming = (parent: string, name: string) => string;
export const byDots: Naming = (parent, name) => (parent === '' ? name : `${parent}.${name}`);
export const byBrackets: Naming = (parent, name) => `${parent}[${name}]`;

/** Returns the row of a field, followed by the rows of its parts. */
export function fieldRows(name: string, schema: JsonSchema, required: boolean, naming: Naming): FieldRow[] {
  const { description = '' } = schema;
  const row = { name, type: typeOf(schema), required, description, limits: limitsOf(schema) };
  return [row, ...partRows(name, schema, naming)];
}

/** Returns the rows of a value's parts; none for a number or a text. */
export function partRows(name: string, schema: JsonSchema, naming: Naming): FieldRow[] {
  const forms = branches(schema);
  return forms.flatMap((form) => {
    if (form.items) return partRows(`${name}[]`, form.items as JsonSchema, naming);
    const { properties = {}, required = [], additionalProperties, propertyNames } = form;
    const fields = Object.entries(properties as Record<string, JsonSchema>);
    const [first] = fields;
    // An alternative form whose fields share one schema, such as bounds, gets one row.
    if (first && forms.length > 1 && fields.every(([, part]) => isDeepStrictEqual(part, first[1]))) {
      return anyFieldRows(name, first[1], Object.keys(properties), naming);
    }
    const rows = fields.flatMap(([field, part]) =>
      fieldRows(naming(name, field), part, required.includes(field), naming),
    );
    if (typeof additionalProperties !== 'object') return rows;
    const names = typeof propertyNames === 'object' ? (propertyNames.enum ?? []) : [];
    return [...rows, ...anyFieldRows(name, additionalProperties, names, naming)];
  });
}

/** Returns one row for fields that differ only in their names. */
function anyFieldRows(name: string, schema: JsonSchema, names: readonly unknown[], naming: Naming): FieldRow[] {
  const [row, ...parts] = fieldRows(naming(name, '*'), schema, false, naming);
  return row ? [{ ...row, limits: [...listed('*は', names), ...row.limits] }, ...parts] : [];
}

function typeOf(schema: JsonSchema): string {
  const names = branches(schema).flatMap((branch) => {
    if (isJsonText(branch)) return 'そのJSON文字列';
    if (branch.type === 'array') return `${typeOf(branch.items as JsonSchema)}の配列`;
    return [branch.type ?? []].flat().map((type) => TYPES[type] ?? type);
  });
  return [...new Set(names)].join('、');
}

function limitsOf(schema: JsonSchema): string[] {
  const limits = branches(schema).flatMap((branch) => {
    const { minimum, maximum, minLength, maxLength, minItems, maxItems, enum: values, const: value, items } = branch;
    return [
      ...range(minimum, maximum, ''),
      ...range(minLength, maxLength, '文字'),
      ...range(minItems, maxItems, '件'),
      ...listed('値', values ?? (value === undefined ? [] : [value])),
      ...(items ? limitsOf(items as JsonSchema) : []),
    ];
  });
  const [example] = schema.examples ?? [];
  return [
    ...new Set(limits),
    ...(schema.default === undefined ? [] : [`省略時 \`${text(schema.default)}\``]),
    ...(example === undefined || typeof example === 'object' ? [] : [`例 \`${text(example)}\``]),
  ];
}

function range(from: number | undefined, to: number | undefined, unit: string): string[] {
  if (from === to) return from === undefined ? [] : [`${from}${unit}`];
  if (to === undefined) return [`${from}${unit}以上`];
  return [from === undefined ? `${to}${unit}以下` : `${from}〜${to}${unit}`];
}

const listed = (label: string, values: readonly unknown[]): string[] =>
  values.length === 0 ? [] : [`${label} ${values.map((value) => `\`${text(value)}\``).join(' ')}`];

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
