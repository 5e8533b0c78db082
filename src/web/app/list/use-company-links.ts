import { useEffect, useMemo, useRef } from 'react';
import type { CompanyLinks } from '#web/features/prospects/company-name.tsx';
import { LIST } from '#web/lib/address/params.ts';
import { prospectPath } from '#web/lib/address/paths.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { useNavigate } from '#web/lib/router/use-router.ts';
import { isNarrowScreen } from '#web/lib/screen/narrow-screen.ts';

export interface OpenCompany {
  /** The company in the address; undefined: no drawer is open. */
  readonly id: number | undefined;
  /** Props for the names in lists. The same object at each render, because new columns would render all rows. */
  readonly links: CompanyLinks;
  /** Shows another company in the drawer, without a new history entry. */
  readonly moveTo: (id: number) => void;
  readonly close: () => void;
}

/** Reads and changes the company in the address. On phones its page opens in place of the drawer. */
export function useCompanyLinks(): OpenCompany {
  const [{ company: id }, change] = useAddress(LIST);
  const navigate = useNavigate();
  const latest = useRef(id);
  useEffect(() => {
    latest.current = id;
  }, [id]);

  const links = useMemo<CompanyLinks>(
    () => ({
      pathOf: prospectPath,
      onOpen(company) {
        if (isNarrowScreen()) void navigate(prospectPath(company));
        else if (latest.current === company)
          document.querySelector<HTMLElement>('dialog[open] button:enabled')?.focus();
        else change({ company }, { push: latest.current === undefined });
      },
    }),
    [navigate, change],
  );
  return { id, links, moveTo: (company) => change({ company }), close: () => change({ company: undefined }) };
}
