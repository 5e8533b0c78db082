import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importsOf, target, textOf } from '../scripts/imports.ts';

interface Segment {
  /** How it is reached, such as "Call `POST /mail/send/:sender_id`". */
  readonly label: string;
  readonly files: readonly string[];
}

const WALKS = textOf('docs/walks.md')
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [, title = '', stated = ''] = /^(.+): (\d+) files$/m.exec(section) ?? [];
    const segments = [...section.matchAll(/^([A-Z].+):\n\n((?:- `.+`\n)+)/gm)].map(
      ([, label = '', list = '']): Segment => ({
        label,
        files: [...list.matchAll(/`(.+)`/g)].map(([, path = '']) => path),
      }),
    );
    return { title, stated: Number(stated), segments, files: segments.flatMap(({ files }) => files), section };
  });

test('there are five walks, and every path of them was read', () => {
  expect(WALKS).toHaveLength(5);
  for (const { section, files, segments } of WALKS) {
    expect(section.match(/^- /gm)).toHaveLength(files.length);
    expect(section.match(/:$/gm)).toHaveLength(segments.length);
  }
});

test.each(WALKS)('$title passes $stated files, each once', ({ files, stated }) => {
  expect(files.filter((path) => !existsSync(path))).toStrictEqual([]);
  expect(new Set(files).size).toBe(files.length);
  expect(files).toHaveLength(stated);
});

test.each(WALKS)('$title: each further file of a segment is imported by one before it', ({ segments }) => {
  const unreached = segments.flatMap(({ label, files: [first = '', ...others] }) => {
    const [, source] = /^From `(.+?)`/.exec(label) ?? [];
    const from = [...(source === undefined ? [] : [source]), first];
    return others.filter((path) => {
      const isReached = from.some((before) => importsOf(before).some((name) => target(before, name) === path));
      from.push(path);
      return !isReached;
    });
  });
  expect(unreached).toStrictEqual([]);
});

/** Checks that what a label names is there. */
function isThere(label: string, { files, segments }: (typeof WALKS)[number]): boolean {
  const [, kind = '', name = ''] = /^(\w+) `(?:(?:GET|POST|PUT) )?([^`]+)`/.exec(label) ?? [];
  const isInSchema = (what: string, named: string) =>
    new RegExp(`CREATE ${what} (public\\.)?${named} `).test(textOf('schema.sql'));
  const at = segments.findIndex((segment) => segment.label === label);
  const [, trigger] = /trigger `(\w+)`/.exec(label) ?? [];
  if (trigger !== undefined && !isInSchema('TRIGGER', trigger)) return false;
  switch (kind) {
    case 'Page':
      return textOf('src/web/lib/address/paths.ts').includes(`'${name}'`);
    case 'Call':
      return files.some((path) => textOf(path).includes(`'${name.replace(/\/KEY$/, '')}'`));
    case 'Row':
      return isInSchema('TABLE', name);
    case 'Setting':
      return textOf('docs/operations.md').includes(`\`${name}\``);
    case 'From':
      return segments.slice(0, at).some((segment) => segment.files.includes(name));
    default:
      return false;
  }
}

test.each(WALKS)('$title: each segment says how it is reached', (walk) => {
  expect(walk.segments.map(({ label }) => label).filter((label) => !isThere(label, walk))).toStrictEqual([]);
});
