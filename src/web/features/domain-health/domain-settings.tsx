import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '#web/components/button-link.tsx';
import { EmptyState } from '#web/components/empty-state.tsx';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import { usesMailCatcher } from '#web/lib/page-settings.ts';
import { DomainCard } from './domain-card.tsx';
import styles from './domain-health.module.css';
import { domainList } from './domain-query.ts';
import { DOMAIN_MESSAGES as messages } from './words.ts';

/** The domains of the senders, each with what the DNS says. @param groupsPath where senders are added */
export function DomainSettings({ groupsPath }: { readonly groupsPath: string }) {
  const { data, isError, refetch } = useQuery(domainList);
  if (data === undefined) return <NotLoaded hasFailed={isError} onRetry={() => void refetch()} />;
  if (data.length === 0) {
    return (
      <EmptyState kind="none" title={messages.none} help={messages.noneHelp}>
        <ButtonLink to={groupsPath}>{messages.openGroups}</ButtonLink>
      </EmptyState>
    );
  }
  return (
    <div className={styles.domains}>
      {usesMailCatcher() ? <p className={styles.notice}>{messages.catcherHelp}</p> : null}
      {data.map((row) => (
        <DomainCard key={row.domain} row={row} />
      ))}
    </div>
  );
}
