import { useQuery } from '@tanstack/react-query';
import { MAX_SEARCH_LENGTH, MAX_SEARCH_WORDS } from '#domain/limits.ts';
import { searchWords } from '#domain/text/text-filter.ts';
import { type ProspectPage, prospectList } from '#web/features/prospects/view-prospects.ts';
import { senderGroupList } from '#web/features/senders/list-sender-groups.ts';
import { useSenders } from '#web/features/senders/senders-state.ts';
import { chosenOf } from '#web/features/senders/use-current-sender.ts';
import { cleanTerms, listPath } from '#web/lib/address/params.ts';
import { prospectPath } from '#web/lib/address/paths.ts';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { useToldError } from '#web/lib/data/use-told-error.ts';
import { useDebounced } from '#web/lib/screen/use-debounced.ts';
import { SEARCH_PAUSE_MS } from '#web/lib/screen/use-pause.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import type { PaletteItem } from './palette-items.ts';
import { PALETTE_MESSAGES } from './words.ts';

const MAX_COMPANIES = 8;
/** The smallest page of the list. */
const PAGE = { pagenate_count: 20, pagenate_num: 1 };

interface CompanyItems {
  readonly items: readonly PaletteItem[];
  /** Results for the current query are still loading. */
  readonly isSearching: boolean;
}

/** Finds companies by name and address in the chosen group's list. If too many match, the last item opens it. */
export function useCompanyItems(typed: string): CompanyItems {
  const wanted = cleanTerms(typed).trim();
  const search = useDebounced(wanted, SEARCH_PAUSE_MS);
  const accountId = useSession((state) => state.current_user?.id);
  const groupId = useSenders((state) => state.current_sender_group);
  const words = searchWords(search);
  const isValid = words.length > 0 && words.length <= MAX_SEARCH_WORDS && search.length <= MAX_SEARCH_LENGTH;
  const asked = useQuery({ ...senderGroupList(accountId ?? 0), enabled: isValid && accountId !== undefined });
  useToldError(asked);
  const { data: groups, isError: hasNoGroups } = asked;
  const group = chosenOf(groups, groupId);
  // Drops the results of the previous text: they must not be opened. A toast says a failure, as no list stands here.
  const {
    placeholderData: _earlier,
    meta: _inPlace,
    ...list
  } = prospectList({ sender_group_id: group?.id ?? 0, search, ...PAGE });
  const { data, isPending, isError } = useQuery({ ...list, enabled: isValid && group !== undefined });
  if (wanted !== search) return { items: [], isSearching: true };
  if (!isValid) return NOTHING;
  if (data === undefined) {
    const isSearching = isPending && !isError && !hasNoGroups && groups?.length !== 0;
    return { items: [], isSearching };
  }
  return companyItems(data, search);
}

/** Returns the items of the companies that were found. */
function companyItems(data: ProspectPage, search: string): CompanyItems {
  const found = data.rows.slice(0, MAX_COMPANIES).map((company): PaletteItem => {
    const note = company.company_email ?? company.address;
    return {
      group: 'companies',
      label: company.company_name,
      ...(note !== null && { note }),
      to: prospectPath(company.id),
    };
  });
  if (data.total <= MAX_COMPANIES) return { items: found, isSearching: false };
  const label = PALETTE_MESSAGES.allCompanies(data.total);
  const to = listPath({ search });
  return { items: [...found, { group: 'companies', label, to }], isSearching: false };
}

/** Finds people by the beginning of their name or address; Enter opens their company. */
export function usePersonItems(typed: string): CompanyItems {
  const wanted = cleanTerms(typed).trim();
  const text = useDebounced(wanted, SEARCH_PAUSE_MS);
  const isValid = text !== '' && text.length <= MAX_SEARCH_LENGTH;
  const { data, isPending, isError } = useQuery({
    queryKey: ['person_find', text],
    queryFn: async ({ signal }) => unwrap(await call('findPeople', { query: { text } }, { signal })),
    enabled: isValid,
    // Companies and screens are found without them.
    meta: { quiet: true },
  });
  if (wanted !== text) return { items: [], isSearching: true };
  if (!isValid) return NOTHING;
  if (data === undefined) return { items: [], isSearching: isPending && !isError };
  const items = data.map(({ prospect_id, company_name, name, department, title, email }): PaletteItem => {
    const label = [name || (email ?? ''), department, title].filter((part) => part !== '').join(' ');
    return { group: 'people', label, note: company_name, to: prospectPath(prospect_id) };
  });
  return { items, isSearching: false };
}

const NOTHING: CompanyItems = { items: [], isSearching: false };
