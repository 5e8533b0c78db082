import { createContext, use } from 'react';
import type { Location } from './location.ts';
import type { Router, RouterState } from './router.ts';
import type { Params } from './routes.ts';

/** The router, and the part of its state that is rendered. */
export interface Routed {
  readonly router: Pick<Router, 'navigate' | 'back' | 'block'> & { readonly state: Pick<RouterState, 'location'> };
  readonly shown: Pick<RouterState, 'location' | 'params'>;
}

export const RouterContext = createContext<Routed['router'] | null>(null);
export const ShownContext = createContext<Routed['shown'] | null>(null);

export function useRouter(): Routed['router'] {
  const router = use(RouterContext);
  if (router === null) throw new Error('no router around this component');
  return router;
}

function useShown(): Routed['shown'] {
  const shown = use(ShownContext);
  if (shown === null) throw new Error('no router around this component');
  return shown;
}

export const useLocation = (): Location => useShown().location;

/** Returns the parameters of the route. */
export const useParams = (): Params => useShown().params;

export const useNavigate = (): Router['navigate'] => useRouter().navigate;
