import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { CompanyLinks } from '#web/features/prospects/company-name.tsx';
import { readId } from '#web/lib/list-params.ts';
import { isNarrowScreen } from '#web/lib/narrow-screen.ts';
import { useLocation, useNavigate } from '#web/lib/router/use-router.ts';
import { changedSearch } from '#web/lib/search-params.ts';
import { prospectPath } from '../paths.ts';

/** The parameter of the company whose drawer is open. */
const COMPANY_PARAM = 'company';

export interface OpenCompany {
  /** The company in the address; undefined: no drawer is open. */
  readonly id: number | undefined;
  /** For the names in the lists. It is the same at each render, because new columns draw all rows again. */
  readonly links: CompanyLinks;
  /** Shows another company in the drawer, without a step of the back button. */
  readonly moveTo: (id: number) => void;
  readonly close: () => void;
}

/** Reads and changes the company in the address. On a phone its page opens instead of the drawer. */
export function useCompanyLinks(): OpenCompany {
  const { search } = useLocation();
  const navigate = useNavigate();
  const id = readId(new URLSearchParams(search).get(COMPANY_PARAM));
  const latest = useRef(search);
  useEffect(() => {
    latest.current = search;
  }, [search]);

  const show = useCallback(
    (company: number | undefined, replace: boolean) => {
      const next = changedSearch(new URLSearchParams(latest.current), { [COMPANY_PARAM]: company });
      void navigate({ search: next.toString() }, { replace });
    },
    [navigate],
  );
  const links = useMemo<CompanyLinks>(
    () => ({
      pathOf: prospectPath,
      onOpen(company) {
        const open = readId(new URLSearchParams(latest.current).get(COMPANY_PARAM));
        if (isNarrowScreen()) void navigate(prospectPath(company));
        else if (open === company) document.querySelector<HTMLElement>('dialog[open] button:enabled')?.focus();
        else show(company, open !== undefined);
      },
    }),
    [navigate, show],
  );
  return { id, links, moveTo: (company) => show(company, true), close: () => show(undefined, true) };
}
