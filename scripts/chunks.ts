import type { Rolldown } from 'vite';

/** The modules that are loaded at first or on demand, by the ends of their ids. */
const ENTRY = '/src/web/index.html';
const DOORS = ['login', 'password-reset', 'setup', 'sender-confirmation'].map((name) => `/app/routes/${name}.tsx`);
export const LOGIN = '/app/routes/login.tsx';
export const WORKSPACE = '/app/workspace.tsx';
/** The first screen after the login: the browser then has the files that other screens share with it. */
export const FIRST_SCREEN = '/app/routes/attack-list.tsx';

/**
 * Returns the chunk of a module that several parts of the client share; null: Rolldown chooses.
 * Rolldown would make a chunk for each set of parts that share modules: 75 files for the list, most below 2 kB. Each
 * chunk here imports only those above it, so that none runs before one that it needs.
 */
export function chunkOf(id: string, context: Rolldown.ChunkingContext): string | null {
  const parts = partsWith(id, context);
  const isIn = (end: string) => parts.some((part) => part.endsWith(end));
  if (parts.length < 2) return null;
  if ([ENTRY, ...DOORS].some(isIn)) return 'main';
  return isIn(WORKSPACE) || isIn(FIRST_SCREEN) ? 'workspace' : null;
}

/** Returns the entries that import this module statically, directly or indirectly. */
function partsWith(id: string, context: Rolldown.ChunkingContext): string[] {
  const seen = new Set<string>();
  const parts: string[] = [];
  const visit = (module: string): void => {
    if (seen.has(module)) return;
    seen.add(module);
    const info = context.getModuleInfo(module);
    if (info?.isEntry || info?.dynamicImporters.length) parts.push(module);
    info?.importers.forEach(visit);
  };
  visit(id);
  return parts;
}
