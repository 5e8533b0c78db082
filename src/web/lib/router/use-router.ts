import { createContext, use, useCallback, useMemo } from 'react';
import type { Location } from './location.ts';
import type { Router, RouterState } from './router.ts';
import type { Params } from './routes.ts';

/** The router, and what of its state is rendered. */
export interface Routed {
  readonly router: Pick<Router, 'navigate' | 'block'> & { readonly state: Pick<RouterState, 'location'> };
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

type SetSearch = (
  next: URLSearchParams | string | ((before: URLSearchParams) => URLSearchParams),
  options?: { readonly replace?: boolean },
) => void;

/** Returns the query of the address, and a function that replaces it. */
export function useSearchParams(): [URLSearchParams, SetSearch] {
  const { navigate } = useRouter();
  const { search } = useLocation();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const setSearch = useCallback<SetSearch>(
    (next, options) => {
      const wanted = typeof next === 'function' ? next(params) : next;
      void navigate({ search: wanted.toString() }, options);
    },
    [navigate, params],
  );
  return [params, setSearch];
}
