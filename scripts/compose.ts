// What compose.yaml says, read without Docker: maps by indentation, lists and maps on a line, anchors, and `<<`. No more of YAML.

type Value = string | null | readonly Value[] | Fields;
export interface Fields {
  readonly [name: string]: Value;
}

/** @param env what `.env` holds. @throws where a setting that is required is not in it, or a line is of a kind we cannot read */
export function readCompose(text: string, env: Readonly<Record<string, string>>): Fields {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('#'))
    .map((line) => ({ indent: line.length - line.trimStart().length, text: line.trim() }));
  const anchors = new Map<string, Value>();
  let at = 0;

  function block(indent: number): Fields {
    const fields: Record<string, Value> = {};
    for (let line = lines[at]; line?.indent === indent; line = lines[at]) {
      const [, name = '', anchor, rest = ''] = /^([\w<-]+):(?: &(\w+))?(?: (.*))?$/.exec(line.text) ?? [];
      if (name === '') throw new Error(`no check knows the line ${line.text}`);
      at += 1;
      const value = rest === '' ? below(indent) : inline(rest);
      if (anchor !== undefined) anchors.set(anchor, value);
      // What is written outright comes after it, and counts.
      if (name === '<<') Object.assign(fields, value);
      else fields[name] = value;
    }
    return fields;
  }

  /** What stands under a name: a map, a list over several lines, or nothing. */
  function below(indent: number): Value {
    const next = lines[at];
    if (!next || next.indent <= indent) return null;
    if (!next.text.startsWith('[')) return block(next.indent);
    let list = '';
    while (!list.endsWith(']')) list += lines[at++]?.text ?? ']';
    return inline(list);
  }

  function inline(written: string): Value {
    if (written.startsWith('*')) return anchors.get(written.slice(1)) ?? null;
    let rest = written.replaceAll(
      /\$\{(\w+)(:\?|:-([^}]*))?\}/g,
      (_, name: string, kind?: string, instead?: string) => {
        if (kind === ':?' && !env[name]) throw new Error(`${name} is not in .env`);
        return env[name] || (instead ?? '');
      },
    );
    const skip = (end: RegExp) => {
      const [taken = ''] = end.exec(rest) ?? [];
      rest = rest.slice(taken.length);
      return taken;
    };
    const list = (close: string, take: () => void) => {
      for (skip(/^.\s*/); !rest.startsWith(close); skip(/^\s*,?\s*/)) {
        if (rest === '') throw new Error(`no end of ${written}`);
        take();
      }
      rest = rest.slice(1);
    };
    const value = (isWhole: boolean): Value => {
      if (rest.startsWith('[')) {
        const items: Value[] = [];
        list(']', () => items.push(value(false)));
        return items;
      }
      if (rest.startsWith('{')) {
        const fields: Record<string, Value> = {};
        list('}', () => {
          const name = skip(/^\w+/);
          skip(/^:\s*/);
          fields[name] = value(false);
        });
        return fields;
      }
      if (/^["']/.test(rest)) return skip(/^(["']).*?\1/).slice(1, -1);
      return isWhole ? skip(/^.*/) : skip(/^[^,\]}]*/).trim();
    };
    return value(true);
  }

  return block(0);
}

/** A map in it. */
export const fieldsOf = (value: Value | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** A list of words in it. */
export const wordsOf = (value: Value | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);

/** A single word in it; none: ''. */
export const wordOf = (value: Value | undefined): string => (typeof value === 'string' ? value : '');
