import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { textOf, valueImportsOf } from '../scripts/imports.ts';

interface Segment {
  /** The start of the walk, such as "Call `POST /mail/send/:sender_id`". */
  readonly label: string;
  /** The file of an earlier segment that it comes from, where the label names one. */
  readonly source: readonly string[];
  readonly files: readonly string[];
}

const WALKS = textOf('docs/walks.md')
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [, title = '', stated = ''] = /^(.+): (\d+) files$/m.exec(section) ?? [];
    const segments = [...section.matchAll(/^([A-Z].+):\n\n((?:- `.+\n)+)/gm)].map(
      ([, label = '', list = '']): Segment => ({
        label,
        source: /`(src\/.+?)`/.exec(label)?.slice(1) ?? [],
        files: [...list.matchAll(/^- `([^`]+)`: \S.+$/gm)].map(([, path = '']) => path),
      }),
    );
    return { title, stated: Number(stated), segments, files: segments.flatMap(({ files }) => files), section };
  });

/** Files and folders that a way leads through by their imports, but not by what it follows. */
const PASSED_BY: Readonly<Record<string, string>> = {
  'src/contract/imports/imports-review.ts': 'calls that show what a check has found',
  'src/server/features/delivery/claim/box-claim-loop.ts': 'claims for mailboxes',
  'src/server/features/delivery/guard/erase-receipts.command.ts': 'takes erased addresses out of receipts',
  'src/server/features/delivery/guard/merge-receipts.command.ts': 'finds the results of dead workers',
  'src/server/features/delivery/guard/receipt-guard.ts': 'compares receipts with the database at the start',
  'src/server/features/delivery/guard/receipts-loop.ts': 'what is done with receipts by time',
  'src/server/features/delivery/queue/due-boxes.queries.ts': 'locks a profile whose mails leave by a mailbox',
  'src/server/features/delivery/quota/sender-limits.command.ts': 'for a refusal by quota',
  'src/server/features/imports/discard.command.ts': 'discards an upload',
  'src/server/features/imports/import-settings.ts': 'what a person chose for the whole file',
  'src/server/features/imports/merge/import.command.ts': 'the import of the command line',
  'src/server/features/imports/merge/open-extras.ts': 'people and own columns, which this row has not',
  'src/server/features/imports/read/cells/address-parts.ts': 'for an address in several columns',
  'src/server/features/imports/read/cells/read-extras.ts': 'people and own columns, which this row has not',
  'src/server/features/imports/read/find-header.ts': 'for a file whose columns nobody chose',
  'src/server/features/imports/read/table/chosen-header.ts': 'columns that a person chose, which are left out',
  'src/server/features/imports/read/table/extra-headings.ts': 'says what a heading means, for a proposal',
  'src/server/features/imports/read/table/headings.ts': 'says what a heading means, for a proposal',
  'src/server/features/imports/undo/': 'undoes an import',
  'src/server/features/imports/upload/look.queries.ts': 'remembers the columns of a check',
  'src/server/features/imports/upload/look.ts': 'shows the beginning of the file',
  'src/server/features/inbox/answer.ts': 'for the reply of a person; of a bounce it makes the hash that finds it twice',
  'src/server/features/inbox/text-bounce.ts': 'for a bounce without a report',
  'src/server/features/mail-content/merge-keys.ts':
    'the values of own fields and of a person, which few templates name',
  'src/server/features/opt-out/held-act.command.ts': 'for a frozen account',
  'src/server/features/opt-out/undo.command.ts': 'undoes a refusal',
  'src/server/features/opt-out/writer.queries.ts': 'for a refusal in an answer',
  'src/server/features/prospects/industries.queries.ts': 'counts the industries that ▾ beside the field offers',
  'src/server/features/prospects/list/order-parts.queries.ts': 'for a list that is sorted by a column',
  'src/server/features/prospects/list/unfiltered-list.queries.ts': 'for a list without a filter',
  'src/server/features/prospects/prospect-list.queries.ts': 'other calls',
  'src/server/platform/mail/system-mail.ts': 'mails of the program itself',
  'src/web/app/list/ask-ahead.ts': 'asks for the list of the address before the first rendering',
  'src/web/app/list/reservation-tab.tsx': 'another list',
  'src/server/features/prospects/list/own-': 'filters and columns of own fields and tags',
  'src/web/app/list/use-company-links.ts': 'opens a company',
  'src/web/features/imports/act-dialogs.tsx': 'discards and undoes an import',
  'src/web/features/imports/columns/column-step.tsx': 'the choice of columns',
  'src/web/features/imports/file-step.tsx': 'how the file is read',
  'src/web/features/imports/run-step.tsx': 'shows the result',
  'src/web/features/imports/upload-panel.tsx': 'resumes an upload that was cut',
  'src/web/features/prospects/column-': 'which columns the list shows',
  'src/web/features/prospects/filter/conditions.ts': 'shows which filters are in force',
  'src/web/features/prospects/filter/filter-chips.tsx': 'shows which filters are in force',
  'src/web/features/prospects/filter/tag-filter.tsx': 'the filter by tags',
  'src/web/features/prospects/own/': 'filters and columns of own fields and tags',
  'src/web/features/prospects/filter/use-filter-check.ts': 'for a faulty filter',
  'src/web/features/prospects/saved-conditions/': 'filters that are saved under a name',
  'src/web/features/prospects/sort-select.tsx': 'chooses the order',
  'src/web/features/prospects/use-bulk.ts': 'acts on many companies',
};

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

test.each(WALKS)('$title: each further file of a segment is imported, as a value, by one before it', ({ segments }) => {
  const unreached = segments.flatMap(({ source, files: [first = '', ...others] }) => {
    const from = [...source, first];
    return others.filter((path) => {
      const isReached = from.some((before) => valueImportsOf(before).includes(path));
      from.push(path);
      return !isReached;
    });
  });
  expect(unreached).toStrictEqual([]);
});

/** The room of a file: its feature, or a folder elsewhere. */
const roomOf = (path: string): string => /^src\/(?:server|web)\/features\/[^/]+/.exec(path)?.[0] ?? dirname(path);

/** Finds the files through which imports of values lead from a file of a segment to another one, within their rooms. */
function filesBetween({ source, files }: Segment): string[] {
  const rooms = new Set(files.map(roomOf));
  const importsOf = (path: string) => valueImportsOf(path).filter((to) => rooms.has(roomOf(to)));
  const reached = new Set([...source, ...files]);
  for (const path of reached) for (const to of importsOf(path)) reached.add(to);
  const leading = new Set(files);
  for (let before = 0; before < leading.size; ) {
    before = leading.size;
    for (const path of reached) if (importsOf(path).some((to) => leading.has(to))) leading.add(path);
  }
  return [...leading].filter((path) => !files.includes(path) && !source.includes(path));
}

/** Returns the names in PASSED_BY that a file falls under. */
const passedBy = (path: string) => Object.keys(PASSED_BY).filter((name) => path === name || path.startsWith(name));

test.each(WALKS)('$title: each file on the way is listed, or has a reason to be passed by', ({ segments, files }) => {
  const between = segments.flatMap(filesBetween);
  expect(between.filter((path) => !files.includes(path) && passedBy(path).length === 0)).toStrictEqual([]);
});

test('each file that is passed by is on a way', () => {
  const between = WALKS.flatMap(({ segments, files }) =>
    segments.flatMap(filesBetween).filter((path) => !files.includes(path)),
  );
  const used = new Set(between.flatMap(passedBy));
  expect(Object.keys(PASSED_BY).filter((name) => !used.has(name))).toStrictEqual([]);
});

/** Whether the thing that a label names exists. */
function isThere(
  { label, source, files: [first = ''] }: Segment,
  { files, segments }: (typeof WALKS)[number],
): boolean {
  const [, kind = '', name = ''] = /^(\w+) `(?:(?:GET|POST|PUT) )?([^`]+)`/.exec(label) ?? [];
  const isInSchema = (what: string, named: string) =>
    new RegExp(`CREATE ${what} (public\\.)?${named} `).test(textOf('schema.sql'));
  const at = segments.findIndex((segment) => segment.label === label);
  const [, trigger] = /trigger `(\w+)`/.exec(label) ?? [];
  if (trigger !== undefined && !isInSchema('TRIGGER', trigger)) return false;
  if (!source.every((path) => segments.slice(0, at).some((segment) => segment.files.includes(path)))) return false;
  switch (kind) {
    case 'Page':
      return textOf('src/web/lib/address/paths.ts').includes(`'${name}'`);
    case 'Call':
      return files.some((path) => textOf(path).includes(`'${name.replace(/\/KEY$/, '')}'`));
    case 'Row':
      return isInSchema('TABLE', name);
    case 'Setting':
      return textOf('docs/operations.md').includes(`\`${name}\``);
    case 'From': {
      // What is handed on as a function or by a name stands in the file that uses it.
      const handed = [...label.matchAll(/`([^`]+)`/g)].flatMap(([, word = '']) => (source.includes(word) ? [] : word));
      return handed.every((word) => [...source, first].some((path) => textOf(path).includes(word)));
    }
    default:
      return false;
  }
}

test.each(WALKS)('$title: each segment says how it is reached', (walk) => {
  expect(walk.segments.filter((segment) => !isThere(segment, walk)).map(({ label }) => label)).toStrictEqual([]);
});
