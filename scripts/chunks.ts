import type { Rolldown } from 'vite';

/** The modules that are loaded at first or on demand, by the ends of their ids. */
const ENTRY = '/src/web/index.html';
const DOORS = ['login', 'password-reset', 'setup', 'sender-confirmation'].map((name) => `/app/routes/${name}.tsx`);
export const WORKSPACE = '/app/workspace.tsx';
/** The screen after the login: the browser then has what other screens share with it. */
export const FIRST_SCREEN = '/app/routes/attack-list.tsx';

const ICONS = /\/icons-react\//;
const ICON = /\/icons-react\/.*\/(Icon\w+)\.mjs$/;

/**
 * Returns the chunk of a module that several parts of the client share; null: Rolldown chooses.
 * Rolldown makes a chunk for each set of parts that share modules: 75 files for the list, most below 2 kB. Each chunk
 * here imports only those above it, so that none needs another before that one has run.
 */
export function chunkOf(id: string, context: Rolldown.ChunkingContext): string | null {
  const parts = partsWith(id, context);
  const isIn = (end: string) => parts.some((part) => part.endsWith(end));
  if (parts.length < 2) return null;
  if ([ENTRY, ...DOORS].some(isIn)) return 'main';
  return isIn(WORKSPACE) || isIn(FIRST_SCREEN) ? 'workspace' : null;
}

/** Returns the modules that are loaded at first or on demand, and import this one statically, directly or not. */
function partsWith(id: string, context: Rolldown.ChunkingContext): string[] {
  const seen = new Set<string>();
  const parts: string[] = [];
  const visit = (module: string): void => {
    if (seen.has(module)) return;
    seen.add(module);
    const info = context.getModuleInfo(module);
    if (info?.isEntry || info?.dynamicImporters.length) parts.push(module);
    importersOf(module, context).forEach(visit);
  };
  visit(id);
  return parts;
}

/** The indexes of the icons import and name them all, so an icon counts as imported by our modules that name it. */
function importersOf(id: string, context: Rolldown.ChunkingContext): string[] {
  const importers = context.getModuleInfo(id)?.importers ?? [];
  const icon = ICON.exec(id)?.[1];
  if (icon === undefined) return importers;
  return importers
    .flatMap((index) => context.getModuleInfo(index)?.importers ?? [])
    .filter((module) => !ICONS.test(module) && iconsIn(module, context).has(icon));
}

const iconsByModule = new Map<string, ReadonlySet<string>>();

function iconsIn(module: string, context: Rolldown.ChunkingContext): ReadonlySet<string> {
  const known = iconsByModule.get(module);
  if (known) return known;
  const icons = new Set(context.getModuleInfo(module)?.code?.match(/\bIcon\w+/g));
  iconsByModule.set(module, icons);
  return icons;
}
