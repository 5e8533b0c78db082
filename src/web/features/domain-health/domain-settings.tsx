import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { usesMailCatcher } from '#web/lib/screen/page-settings.ts';
import { DomainCard } from './domain-card.tsx';
import { type DomainRow, domainList } from './domain-query.ts';
import { DOMAIN_MESSAGES as messages } from './words.ts';

/** The poll interval in ms while a test mail is expected. */
const AWAITED_EVERY_MS = 5000;
const isAwaited = ({ self_test }: DomainRow): boolean => self_test.state === 'waiting';

/** Lists the domains of the senders, each with its DNS results. */
export function DomainSettings() {
  const { data, error, refetch } = useQuery({
    ...domainList,
    refetchInterval: ({ state }) => (state.data?.some(isAwaited) ? AWAITED_EVERY_MS : false),
  });
  if (data === undefined) return <NotLoaded error={error} onRetry={() => void refetch()} />;
  if (data.length === 0) {
    return (
      <div className="surface">
        <EmptyState kind="none" title={messages.none} help={messages.noneHelp}>
          <ButtonLink variant="primary" to={PATHS.settingsGroups}>
            {messages.openGroups}
          </ButtonLink>
        </EmptyState>
      </div>
    );
  }
  return (
    <>
      {usesMailCatcher() ? <Notice>{messages.catcherHelp}</Notice> : null}
      {data.map((row) => (
        <DomainCard key={row.domain} row={row} />
      ))}
    </>
  );
}
