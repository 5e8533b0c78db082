import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf, isTest, sourceFiles, target, textOf } from '../scripts/imports.ts';

/**
 * Tests which files may import which (design §3, ARCHITECTURE.md).
 * The first rule that matches a path applies; everything that it does not name is forbidden. npm and node: packages
 * are permitted in server and web, listed for contract, and forbidden in domain.
 */
const ROOT = join(import.meta.dirname, '..');

interface Rule {
  readonly from: RegExp;
  readonly mayImport: readonly RegExp[];
  readonly packages: 'any' | readonly string[];
}

/** The only permitted imports between server features: each is used, and they form no circle. */
const FEATURE_EDGES: Record<string, readonly string[]> = {
  account: ['audit', 'auth', 'mailed-keys', 'people', 'rights', 'senders'],
  'account-hosts': ['audit'],
  'attack-list': ['prospects', 'sending-rules', 'suppressions'],
  auth: ['audit'],
  backup: ['audit', 'delivery'],
  companies: [
    'attack-list',
    'audit',
    'cells',
    'imports/read',
    'own-fields',
    'people',
    'prospects',
    'rights',
    'suppressions',
  ],
  demo: [
    'account',
    'audit',
    'auth',
    'imports/merge',
    'mail-content',
    'members',
    'own-fields',
    'sender-addresses',
    'senders',
  ],
  'domain-health': ['audit'],
  delivery: [
    'attack-list',
    'audit',
    'mail-content',
    'mailboxes',
    'replies',
    'sender-addresses',
    'sending-rules',
    'suppressions',
  ],
  exports: ['audit', 'jobs', 'own-fields', 'prospects', 'rights', 'send-logs', 'stored-files', 'suppression-list'],
  'field-settings': ['audit', 'imports/merge', 'imports/read', 'own-fields'],
  'first-steps': ['audit', 'legal-profile', 'sender-addresses', 'senders'],
  imports: ['audit', 'cells', 'jobs', 'own-fields', 'people', 'prospects', 'rights', 'stored-files', 'suppressions'],
  inbox: [
    'delivery',
    'domain-health',
    'held-arrivals',
    'mail-content',
    'opt-out',
    'replies',
    'sending-rules',
    'suppressions',
  ],
  jobs: ['audit', 'rights', 'stored-files'],
  'legal-profile': ['audit', 'mailboxes'],
  'mailbox-reading': ['inbox', 'mail-content', 'mailboxes'],
  'mailbox-settings': ['audit', 'auth', 'delivery', 'mailboxes', 'oidc', 'rights', 'sending-rules'],
  mailboxes: ['audit'],
  'mail-content': ['own-fields'],
  'mailed-keys': ['audit', 'auth', 'rights', 'sender-addresses'],
  'mail-preview': ['attack-list', 'delivery', 'mail-content', 'runs'],
  'mail-templates': ['audit', 'delivery', 'mail-content', 'mailboxes', 'own-fields', 'rights', 'runs', 'senders'],
  members: ['account', 'audit', 'auth', 'mailbox-settings', 'mailed-keys', 'rights'],
  moves: ['audit', 'backup', 'delivery', 'held-arrivals', 'inbox', 'opt-out', 'seals', 'sendgrid-events'],
  notices: ['audit', 'reports'],
  oidc: ['audit', 'auth', 'rights'],
  people: ['suppressions'],
  'person-list': ['audit', 'imports/read', 'people', 'suppressions'],
  'personal-data': [
    'attack-list',
    'audit',
    'delivery',
    'notices',
    'imports/merge',
    'own-fields',
    'people',
    'suppressions',
  ],
  'own-fields': ['cells'],
  prospects: ['own-fields', 'rights'],
  'opt-out': ['audit', 'delivery', 'held-arrivals', 'suppressions'],
  'reply-list': ['audit', 'delivery', 'opt-out', 'replies', 'suppressions'],
  reports: ['replies'],
  reservations: ['attack-list', 'audit', 'delivery', 'reports', 'rights', 'runs', 'sending-rules', 'suppressions'],
  retention: ['audit'],
  'rule-settings': ['audit', 'auth', 'delivery', 'rights', 'sending-rules'],
  runs: [
    'attack-list',
    'audit',
    'delivery',
    'legal-profile',
    'mail-content',
    'mailboxes',
    'replies',
    'rights',
    'sender-addresses',
    'sending-rules',
    'suppressions',
  ],
  'saved-conditions': ['audit', 'prospects'],
  'send-logs': ['audit', 'auth', 'mail-content', 'notices', 'prospects', 'rights', 'runs', 'suppressions'],
  seals: ['audit', 'mailboxes'],
  senders: [
    'audit',
    'delivery',
    'legal-profile',
    'mail-content',
    'mailbox-settings',
    'mailboxes',
    'rights',
    'sender-addresses',
  ],
  'sendgrid-events': ['delivery', 'held-arrivals', 'suppressions'],
  setup: ['account', 'auth', 'senders'],
  'suppression-list': ['attack-list', 'audit', 'delivery', 'imports/read', 'suppressions'],
};

/** The only permitted imports between folders of a feature; files directly in the feature may use all. */
const INNER_EDGES: Record<string, readonly string[]> = {
  'delivery/after-sending': ['delivery/queue', 'delivery/results'],
  'delivery/boxes': ['delivery/leases', 'delivery/quota'],
  'delivery/claim': ['delivery/guard', 'delivery/leases', 'delivery/pauses', 'delivery/queue', 'delivery/quota'],
  'delivery/guard': ['delivery/leases', 'delivery/pauses', 'delivery/results'],
  'delivery/leases': [],
  'delivery/pauses': ['delivery/leases', 'delivery/queue'],
  'delivery/queue': ['delivery/leases'],
  'delivery/quota': ['delivery/leases', 'delivery/pauses', 'delivery/queue', 'delivery/transports'],
  'delivery/results': ['delivery/boxes', 'delivery/leases', 'delivery/pauses', 'delivery/queue', 'delivery/quota'],
  'delivery/send': [
    'delivery/claim',
    'delivery/guard',
    'delivery/leases',
    'delivery/quota',
    'delivery/results',
    'delivery/transports',
  ],
  'delivery/transports': ['delivery/leases'],
  'imports/merge': ['imports/read'],
  'imports/read': [],
};

/**
 * The only permitted imports between the web client's features. Code that joins features stands in `app`, in a folder
 * by subject.
 */
const WEB_EDGES: Record<string, readonly string[]> = {
  'attack-list': ['companies', 'senders', 'suppressions'],
  // After a run is accepted, the chip of open runs follows it.
  runs: [
    'attack-list',
    'domain-health',
    'legal-profile',
    'mail-preview',
    'prospects',
    'send-logs',
    'senders',
    'sending-rules',
  ],
};

const SHARED = [/^src\/domain\//, /^src\/contract\//];

const RULES: readonly Rule[] = [
  { from: /^src\/domain\//, mayImport: [/^src\/domain\//], packages: [] },
  { from: /^src\/contract\//, mayImport: SHARED, packages: ['zod'] },
  { from: /^src\/server\/platform\//, mayImport: [...SHARED, /^src\/server\/platform\//], packages: 'any' },
  {
    from: /^src\/server\/api-reference\//,
    mayImport: [...SHARED, /^src\/server\/(api-reference|platform)\//],
    packages: 'any',
  },
  ...Object.entries(INNER_EDGES).map(([room, inner]) => ({
    from: new RegExp(`^src/server/features/${room}/`),
    mayImport: [
      ...SHARED,
      /^src\/server\/platform\//,
      ...[room, ...inner, ...(FEATURE_EDGES[room.split('/')[0] ?? ''] ?? [])].map(
        (name) => new RegExp(`^src/server/features/${name}/`),
      ),
    ],
    packages: 'any' as const,
  })),
  ...readdirSync(join(ROOT, 'src/server/features')).map((feature) => ({
    from: new RegExp(`^src/server/features/${feature}/`),
    mayImport: [
      ...SHARED,
      /^src\/server\/platform\//,
      ...[feature, ...(FEATURE_EDGES[feature] ?? [])].map((name) => new RegExp(`^src/server/features/${name}/`)),
    ],
    packages: 'any' as const,
  })),
  { from: /^src\/server\//, mayImport: [...SHARED, /^src\/server\//], packages: 'any' },
  {
    from: /^src\/web\/(lib|components)\//,
    mayImport: [...SHARED, /^src\/web\/(lib|components)\//],
    packages: 'any',
  },
  ...readdirSync(join(ROOT, 'src/web/features')).map((feature) => ({
    from: new RegExp(`^src/web/features/${feature}/`),
    mayImport: [
      ...SHARED,
      /^src\/web\/(lib|components)\//,
      ...[feature, ...(WEB_EDGES[feature] ?? [])].map((name) => new RegExp(`^src/web/features/${name}/`)),
    ],
    packages: 'any' as const,
  })),
  { from: /^src\/web\//, mayImport: [...SHARED, /^src\/web\//], packages: 'any' },
];

const files = sourceFiles().filter((path) => /\.tsx?$/.test(path));
const sources = files.filter((path) => path.startsWith('src/'));

/** Returns the imports of a file at run time: neither `import type` nor `typeof import(…)`. */
function valuesOf(path: string): string[] {
  const text = textOf(path).replace(/\btypeof import\([^)]*\)/g, '');
  const statements = /(?:^(?:im|ex)port(?! type\b)[^;'"]*?\bfrom\s*|^import\s*|\bimport\s*\(\s*)['"]([^'"\n]+)['"]/gm;
  return [...text.matchAll(statements)].map(([, specifier = '']) => specifier);
}

/** Files of the contract that the web client loads: they must not import zod. */
const WITHOUT_ZOD = /^src\/contract\/(?:calls|[\w-]+\/[\w-]+-names)\.ts$/;

/** Returns the circles in a graph, each from its first name back to the same. */
function circlesIn(names: readonly string[], targets: (name: string) => readonly string[]): string[][] {
  const done = new Set<string>();
  const circles: string[][] = [];
  const visit = (name: string, above: readonly string[]): void => {
    if (above.includes(name)) circles.push([...above.slice(above.indexOf(name)), name]);
    if (done.has(name) || above.includes(name)) return;
    for (const next of targets(name)) visit(next, [...above, name]);
    done.add(name);
  };
  for (const name of names) visit(name, []);
  return circles;
}

function fault(path: string, specifier: string): string | null {
  const rule = RULES.find(({ from }) => from.test(path));
  if (!rule) return `${path}: no rule`;
  const file = target(path, specifier);
  if (file === null) {
    const name = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
    const allowed = rule.packages === 'any' || rule.packages.includes(name);
    return allowed || isTest(path) ? null : `${path}: ${specifier}`;
  }
  // A test may use any part of the program for its set-up.
  if (isTest(path) && (file.startsWith('test/') || file.startsWith('src/server/') === path.startsWith('src/server/')))
    return null;
  return rule.mayImport.some((allowed) => allowed.test(file)) ? null : `${path}: ${specifier}`;
}

describe('imports', () => {
  const importsIn = (paths: readonly string[]) =>
    paths.flatMap((path) => importsOf(path).map((specifier) => ({ path, specifier })));
  const all = importsIn(sources);

  test('the sources were found', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(all.length).toBeGreaterThan(300);
    for (const place of ['src/domain/', 'src/contract/', 'src/server/features/', 'src/web/features/']) {
      expect(all.some(({ path }) => path.startsWith(place))).toBe(true);
    }
  });

  test('follow the permitted directions', () => {
    expect(all.flatMap(({ path, specifier }) => fault(path, specifier) ?? [])).toStrictEqual([]);
  });

  test('of the contract: the files that the web client loads import no zod', () => {
    const values = files
      .filter((path) => (path.startsWith('src/web/') && !isTest(path)) || WITHOUT_ZOD.test(path))
      .flatMap((path) => valuesOf(path).map((specifier) => ({ path, file: target(path, specifier) ?? specifier })));
    const used = values.filter(({ file }) => WITHOUT_ZOD.test(file));
    expect(used.length).toBeGreaterThan(3);
    const isRefused = ({ path, file }: (typeof values)[number]) =>
      (file.startsWith('src/contract/') && !WITHOUT_ZOD.test(file)) ||
      (path.startsWith('src/contract/') && !/^src\/(?:contract|domain)\//.test(file));
    expect(values.filter(isRefused)).toStrictEqual([]);
  });

  test('form no circle between files, including types', () => {
    const graph = Map.groupBy(importsIn(files), ({ path }) => path);
    const targets = (path: string) => (graph.get(path) ?? []).flatMap(({ specifier }) => target(path, specifier) ?? []);
    expect(circlesIn(files, targets)).toStrictEqual([]);
  });

  test.each([
    ['features of the server', FEATURE_EDGES, 'src/server/features', 1],
    ['rooms within features', INNER_EDGES, 'src/server/features', 2],
    ['features of the web client', WEB_EDGES, 'src/web/features', 1],
  ])('of %s: the listed edges run in no circle, and each is used', (_, edges, place, depth) => {
    const namesOf = (name: string) => name.split('/').slice(0, depth).join('/');
    const targets = (name: string) => (edges[name] ?? []).map(namesOf);
    expect(circlesIn(Object.keys(edges), targets)).toStrictEqual([]);

    const used = all.flatMap(({ path, specifier }) => (isTest(path) ? [] : `${path} ${target(path, specifier)}`));
    const unused = Object.entries(edges).flatMap(([from, to]) =>
      to
        .map((name) => [`${place}/${from}/`, ` ${place}/${name}/`] as const)
        .filter(([start, end]) => !used.some((edge) => edge.startsWith(start) && edge.includes(end))),
    );
    expect(unused).toStrictEqual([]);
  });

  test('a circle is found from each of its members', () => {
    const edges: Record<string, string[]> = { a: ['b'], b: ['c'], c: ['b'], d: ['a'] };
    expect(circlesIn(['a', 'd'], (name) => edges[name] ?? [])).toStrictEqual([['b', 'c', 'b']]);
  });

  test.each([
    ['src/domain/a.ts', 'node:fs'],
    ['src/domain/a.ts', 'zod'],
    ['src/domain/a.ts', '../contract/wire.ts'],
    ['src/contract/a.ts', 'kysely'],
    ['src/contract/a.ts', '#server/app.ts'],
    ['src/server/platform/a.ts', '../features/auth/session.ts'],
    ['src/server/features/auth/a.ts', '../delivery/guard/receipts.ts'],
    ['src/server/features/delivery/a.ts', '../runs/accept.command.ts'],
    ['src/server/features/delivery/leases/a.ts', '../claim/claim-loop.ts'],
    ['src/server/features/delivery/claim/a.ts', '../send/send-loop.ts'],
    ['src/server/features/imports/read/a.ts', '../merge/staging.ts'],
    ['src/server/features/auth/a.ts', '../../api-reference/openapi.ts'],
    ['src/server/api-reference/a.ts', '../features/auth/session.ts'],
    ['src/server/app.ts', '#web/lib/words.ts'],
    ['src/web/features/auth/a.ts', '#web/features/account/words.ts'],
    ['src/web/lib/a.ts', '#web/app/words.ts'],
    ['src/server/app.ts', '#test/db.ts'],
    ['src/web/lib/a.ts', '#web/app/router.tsx'],
    ['src/web/app/a.tsx', '#server/app.ts'],
  ])('%s may not import %s', (path, specifier) => {
    expect(fault(path, specifier)).not.toBeNull();
  });
});

test('no date format of the machine is used: domain/time has the forms', () => {
  const formats = sources.filter((path) => !isTest(path) && /\bIntl\.DateTimeFormat\b/.test(textOf(path)));
  expect(formats).toStrictEqual([]);
});

describe('the domain', () => {
  const domain = sources.filter((path) => path.startsWith('src/domain/') && !isTest(path));

  test('its files were found', () => expect(domain.length).toBeGreaterThan(10));

  test.each(domain)('%s uses no clock and no randomness', (path) => {
    expect(textOf(path)).not.toMatch(/Date\.now|new Date\(\s*\)|\bDate\(\s*\)|performance\.|Math\.random|crypto\./);
  });
});

/** Server files with their own loop, and why they do not use platform/loop.ts. */
const OWN_LOOPS: Record<string, string> = {
  'src/server/features/delivery/wind-down.ts': 'steps of a stop, each until its deadline',
  'src/server/features/inbox/inbox-reader.ts': 'the mail server ends its wait (IDLE)',
  'src/server/features/jobs/job-worker.ts': 'renews a lease while one job lasts',
  'src/server/features/mailbox-reading/mailbox-reader.ts': 'a server ends its wait (IDLE), and its lease the reading',
  'src/server/features/mailbox-settings/check/imap-check.ts': 'ends with the time of a check',
  'src/server/features/send-logs/run-events.ts': 'ends with the streams of an account',
  'src/server/platform/limited-thread.ts': 'runs in a thread, which is ended from outside',
  'src/server/platform/loop.ts': 'the one of all others',
  'src/server/platform/work-signal.ts': 'lasts as long as a connection',
};

test('only auth, consents, oidc, setup and mailed-keys make secrets: links in mails use mailed-keys', () => {
  const secret = 'src/server/features/auth/secret.ts';
  const users = sources.filter(
    (path) => !isTest(path) && importsOf(path).some((specifier) => target(path, specifier) === secret),
  );
  expect(new Set(users.map((path) => path.split('/')[3]))).toStrictEqual(
    new Set(['auth', 'mailbox-settings', 'mailed-keys', 'oidc', 'setup']),
  );
});

test('a dialog has its buttons in DialogFoot, and no foot of its own', () => {
  const dialogs = sources.filter((path) =>
    importsOf(path).some((specifier) => target(path, specifier) === 'src/web/components/dialog/dialog.tsx'),
  );
  expect(dialogs.length).toBeGreaterThan(25);
  expect(dialogs.filter((path) => /\b\w+\.(?:foot|buttons)\b/.test(textOf(path)))).toStrictEqual([]);
});

test('only platform/package.ts finds files beside the code, because the bundle is in another folder', () => {
  const looking = sources.filter(
    (path) => path.startsWith('src/server/') && !isTest(path) && /import\.meta\.(?:dir|file)name/.test(textOf(path)),
  );
  expect(looking).toStrictEqual([]);
  expect(textOf('src/server/platform/package.ts')).toContain('import.meta.url');
});

test('repeated work until the program stops uses platform/loop.ts', () => {
  const repeats = (text: string) =>
    text.includes('setInterval(') ||
    (/\bsetTimeout\b/.test(text) && /\b(while|for) \((true\b|;;|[^\n]*aborted)/.test(text));
  const found = sources.filter((path) => path.startsWith('src/server/') && !isTest(path) && repeats(textOf(path)));
  expect(found.toSorted()).toStrictEqual(Object.keys(OWN_LOOPS));
});

test('one file writes the role and the activity of members, for the calls and the command line', () => {
  const WRITER = 'src/server/features/members/member-rows.ts';
  const update =
    /(?:updateTable\('member'\)[\s\S]*?\.set\(|\bUPDATE member\b)([\s\S]*?)(?:\.where\(|\bWHERE\b|\.execute)/g;
  const others = sources.filter((path) => path.startsWith('src/server/') && !isTest(path) && path !== WRITER);
  const setsState = (path: string) =>
    [...textOf(path).matchAll(update)].some(([, values = '']) => /\b(?:role|active|deactivated_\w+)\b/.test(values));
  const stops = (path: string) => /\bdeactivated_(?:at|by)\b/.test(textOf(path)) && !path.endsWith('/db-types.ts');
  expect(textOf(WRITER)).toMatch(/updateTable\('member'\)/);
  expect(others.filter((path) => setsState(path) || stops(path))).toStrictEqual([]);
});
