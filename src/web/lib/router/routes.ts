import type { ComponentType, ReactNode } from 'react';
import type { Location } from './location.ts';

/** The exports of a screen's lazy file. */
export interface Screen {
  readonly Component: ComponentType;
  /** Runs when the screen opens, before it renders. A change of only the query does not run it. */
  readonly onOpen?: (location: Location) => void;
}

/** The export of a lazy file that surrounds several screens. */
export interface Surround {
  readonly Component: ComponentType<{ readonly children: ReactNode }>;
}

/** One path of the client. */
export interface Route {
  /** Segments may be parameters (`:id`), and the last one may be optional (`:key?`). `*`: all other paths. */
  readonly path: string;
  /** Returns the address to show instead, or null. Runs before each navigation. */
  readonly guard?: (location: Location) => string | null;
  readonly surround?: () => Promise<Surround>;
  readonly screen: () => Promise<Screen>;
}

export type Params = Readonly<Record<string, string | undefined>>;

export interface Match {
  readonly route: Route;
  readonly params: Params;
}

/** Returns the first route that matches a path, with its parameters. @throws if no route matches */
export function matchRoute(routes: readonly Route[], pathname: string): Match {
  const segments = segmentsOf(pathname).map(decoded);
  for (const route of routes) {
    const params = paramsOf(route.path, segments);
    if (params !== null) return { route, params };
  }
  throw new Error(`no route for ${pathname}`);
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

/** Decodes a segment. One with an invalid encoding is returned unchanged. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function paramsOf(path: string, segments: readonly string[]): Params | null {
  if (path === '*') return {};
  const parts = segmentsOf(path);
  if (segments.length > parts.length) return null;
  const params: Record<string, string | undefined> = {};
  for (const [place, part] of parts.entries()) {
    const segment = segments[place];
    const isOptional = part.endsWith('?');
    if (segment === undefined && !isOptional) return null;
    if (part.startsWith(':')) params[part.slice(1, isOptional ? -1 : undefined)] = segment;
    else if (part.toLowerCase() !== segment?.toLowerCase()) return null;
  }
  return params;
}
