import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import { useQuery } from '@tanstack/react-query';
import { domainOf } from '#domain/mail/address-key.ts';
import { StatusBadge } from '#web/components/inline/status-badge.tsx';
import { Link } from '#web/lib/router/link.tsx';
import styles from '../domain-health.module.css';
import { domainList } from '../domain-query.ts';
import { ORDER_DOMAIN_MESSAGES as messages } from './words.ts';

/** Returns a function that says whether the domain of an address has known faults. */
export function useBadDomains(): (address: string) => boolean {
  const { data = [] } = useQuery({ ...domainList, meta: { quiet: true } });
  const bad = new Set(data.filter(({ state }) => state === 'bad').map(({ domain }) => domain));
  return (address) => bad.has(domainOf(address));
}

/** Marks a sender whose domain has faults, with a link to them. */
export function DomainMark({ address, to }: { readonly address: string; readonly to: string }) {
  const isBad = useBadDomains();
  if (!isBad(address)) return null;
  return (
    <Link to={to} className={styles.mark} title={messages.markHelp(domainOf(address))}>
      <StatusBadge look={{ tone: 'red', Icon: IconAlertTriangle }} word={messages.mark} />
    </Link>
  );
}
