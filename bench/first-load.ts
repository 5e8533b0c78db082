import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads from Vite's manifest what a screen of the built client loads first, in compressed sizes without the API. */

const DIST = join(import.meta.dirname, '../dist/web');
const ENTRY = 'index.html';
/** The chunk of all screens behind the login (scripts/chunks.ts). */
export const WORKSPACE = 'workspace';
const ALWAYS = ['index.html', 'icon.svg'];

/** The modules and chunks that each screen loads when it opens, besides its own imports. */
export const SCREENS: Readonly<Record<string, readonly string[]>> = {
  '/login': ['app/routes/visitors/login.tsx'],
  '/password-reset': ['app/routes/visitors/password-reset.tsx'],
  '/setup': ['app/routes/visitors/setup.tsx'],
  '/': [WORKSPACE, 'app/routes/attack-list.tsx'],
  '/prospects/1': [WORKSPACE, 'app/routes/company.tsx'],
  '/imports': [WORKSPACE, 'app/routes/imports.tsx'],
  '/imports/new': [WORKSPACE, 'app/routes/new-import.tsx'],
  '/reservations': [WORKSPACE, 'app/routes/reservations.tsx'],
  '/reservations?view=calendar': [
    WORKSPACE,
    'app/routes/reservations.tsx',
    'features/reservations/calendar/calendar.tsx',
  ],
  '/sends': [WORKSPACE, 'app/routes/sends.tsx'],
  '/sends/1': [WORKSPACE, 'app/routes/send.tsx'],
  '/templates': [WORKSPACE, 'app/routes/templates.tsx'],
  '/template/1': [WORKSPACE, 'app/routes/template.tsx', 'features/mail-templates/editor/rich/create-rich-editor.ts'],
  '/account': [WORKSPACE, 'app/routes/account.tsx'],
  '/settings/groups': [WORKSPACE, 'app/routes/settings/groups.tsx'],
  '/settings/mailboxes': [WORKSPACE, 'app/routes/settings/mailboxes.tsx'],
  '/settings/legal': [WORKSPACE, 'app/routes/settings/legal.tsx'],
  '/reports': [WORKSPACE, 'app/routes/reports.tsx'],
  '/settings/domains': [WORKSPACE, 'app/routes/settings/domains.tsx'],
  '/settings/sending': [WORKSPACE, 'app/routes/settings/sending.tsx'],
  '/settings/members': [WORKSPACE, 'app/routes/settings/members.tsx'],
  '/settings/audit': [WORKSPACE, 'app/routes/settings/audit.tsx'],
  '/settings/login-rules': [WORKSPACE, 'app/routes/settings/login-rules.tsx'],
  '/settings/notifications': [WORKSPACE, 'app/routes/settings/notices.tsx'],
  '/settings/fields': [WORKSPACE, 'app/routes/settings/fields.tsx'],
  '/settings/personal-data': [WORKSPACE, 'app/routes/settings/personal-data.tsx'],
  '/suppressions': [WORKSPACE, 'app/routes/suppressions.tsx'],
  '/oauth/callback': ['app/routes/visitors/oauth-callback.tsx'],
  '/invitation': ['app/routes/visitors/invitation.tsx'],
  '/sender-confirmation': ['app/routes/visitors/sender-confirmation.tsx'],
  '/confirmation': [WORKSPACE, 'app/routes/confirmation.tsx'],
};

interface Chunk {
  readonly name?: string;
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly isDynamicEntry?: boolean;
}

/** Returns the built files by module name; shared chunks have their own names. */
export const readManifest = () =>
  JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Readonly<Record<string, Chunk>>;

/** Returns the modules that are loaded on demand, by their names in the manifest. */
export const dynamicModules = (): string[] =>
  Object.entries(readManifest()).flatMap(([name, { isDynamicEntry }]) => (isDynamicEntry ? [name] : []));

/** Size of the bodies as sent to a browser (brotli), in kB. */
export type Sizes = Readonly<Record<'js' | 'css' | 'all', number>>;

/** Returns the files that a screen loads. @throws if a module is not in the build */
export function filesOf(modules: readonly string[]): { js: string[]; css: string[] } {
  const manifest = readManifest();
  const chunks = new Set<string>();
  const add = (name: string): void => {
    if (chunks.has(name)) return;
    chunks.add(name);
    for (const imported of chunkOf(manifest, name).imports ?? []) add(imported);
  };
  for (const name of [ENTRY, ...modules]) add(name);
  const loaded = [...chunks].map((name) => chunkOf(manifest, name));
  return { js: loaded.map(({ file }) => file), css: loaded.flatMap((chunk) => chunk.css ?? []) };
}

/** Returns the sizes of a screen's files. @throws if a module is not in the build */
export function firstLoad(modules: readonly string[]): Sizes {
  const files = filesOf(modules);
  const [js, css] = [weigh(files.js), weigh(files.css)];
  return { js, css, all: js + css + weigh(ALWAYS) };
}

function chunkOf(manifest: ReturnType<typeof readManifest>, name: string): Chunk {
  const chunk = manifest[name] ?? Object.values(manifest).find((shared) => shared.name === name);
  if (chunk === undefined) throw new Error(`${name} is not in the build`);
  return chunk;
}

/**
 * Returns the file that the server sends to a browser that accepts brotli.
 * A file without a smaller compressed copy is sent uncompressed.
 */
export function sentFile(file: string): string {
  const compressed = join(DIST, `${file}.br`);
  return existsSync(compressed) ? compressed : join(DIST, file);
}

const weigh = (files: readonly string[]): number =>
  [...new Set(files)].reduce((sum, file) => sum + readFileSync(sentFile(file)).length / 1000, 0);
