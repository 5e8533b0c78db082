import type { Rolldown } from 'vite';

/** The modules that are loaded at first or on demand, by the ends of their ids. */
const ENTRY = '/src/web/index.html';
/** The folder of the visitors' screens. */
const DOORS = '/app/routes/visitors/';
export const LOGIN = `${DOORS}login.tsx`;
/** Loaded beside every first screen, also by visitors: it must not wait for the files of members. */
const TABS = '/lib/session/tab-sessions.ts';
const PROVIDERS = /\/((features|lib\/address)\/company-log-in|consent\/consent-way)/;
/** What nearly each screen loads sooner or later. In chunks of their own they would lengthen the list of files. */
const DIALOGS = /\/components\/dialog\//;
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
  // The frame has few modules of its own, which all screens behind the log-in load.
  if (isIn(WORKSPACE) && parts.length === 1) return 'workspace';
  if (parts.length < 2) return null;
  // Shared by the log-in's late part, the way back from providers and the settings, of no use to other visitors.
  if (PROVIDERS.test(id)) return 'company-log-in';
  const isBehindLogin = isIn(WORKSPACE) || isIn(FIRST_SCREEN);
  const isOpen = parts.some((part) => part.includes(DOORS));
  if ([ENTRY, LOGIN, TABS].some(isIn) || (isOpen && isBehindLogin)) return 'main';
  // What the log-in does not need.
  if (isOpen) return 'visitors';
  return isBehindLogin || DIALOGS.test(id) ? 'workspace' : null;
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
