import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PATHS } from '#web/lib/address/paths.ts';

const WEB = join(import.meta.dirname, '../src/web');

/** Files that may read or build addresses: the source, the router, and the queries of the API. */
const OWNERS = [/^lib\/(address|router)\//, /^lib\/api\/call\.ts$/];

const paths = Object.values(PATHS).filter((path) => path !== '/');
const QUOTE = '[\'"`]';

/** Code that belongs into lib/address, and the files that may nevertheless contain it. */
const RULES: readonly { readonly found: RegExp; readonly but: readonly string[] }[] = [
  { found: /\bURLSearchParams\b|\blocation\.(search|hash)\b/, but: [] },
  {
    found: /\bsearch\b[^{}]*\} = (useLocation\(\)|[\w.]*\blocation);/,
    // These files pass addresses on unchanged; the calls ahead are stored under the query as written.
    but: ['app/router.tsx', 'app/list/use-list-queries.ts'],
  },
  { found: new RegExp(`${QUOTE}\\?[\\w$][^'"\`]*=`), but: [] },
  { found: /\$\{PATHS\b|\bPATHS\.\w+ \+/, but: ['app/router.tsx'] },
  // Calls of the API may have the same paths.
  { found: new RegExp(`(?<!'[A-Z]+',\\s*)${QUOTE}(${paths.join('|')})(/\\$|[?#]|${QUOTE})`), but: [] },
];

const faults = (name: string, source: string): string[] =>
  RULES.filter(({ found, but }) => !but.includes(name) && found.test(source)).map(
    ({ found }) => `${name}: ${found.exec(source)?.[0]}`,
  );

test('only lib/address knows paths and parameters of the client', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: WEB }).filter(
    (name) => !/\.test\.tsx?$/.test(name) && !OWNERS.some((owner) => owner.test(name)),
  );
  expect(files.length).toBeGreaterThan(300);
  expect(files.flatMap((name) => faults(name, readFileSync(join(WEB, name), 'utf8')))).toStrictEqual([]);
});

test.each([
  'const query = new URLSearchParams(text);',
  'if (location.search !== "") start();',
  'const { pathname, search } = useLocation();',
  'const { search } = router.state.location;',
  '<Link to="?state=failed">',
  `<Link to={\`?state=\${state}\`}>`,
  `const to = \`\${PATHS.sends}/\${id}\`;`,
  'const to = PATHS.sends + tail;',
  "navigate('/sends')",
  `<Link to={\`/sends/\${id}\`}>`,
  '<Link to="/settings/legal?group=3">',
])('it is seen in: %s', (source) => {
  expect(faults('app/shell/x.tsx', source)).toHaveLength(1);
});
