import { useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/button-link.tsx';
import { MatchesPlace } from '#web/components/matches.tsx';
import { useBadDomains } from '#web/features/domain-health/domain-mark.tsx';
import type { ExportSource } from '#web/features/exports/start-export.ts';
import { FilterPanel } from '#web/features/prospects/filter/filter-panel.tsx';
import { useFilterCheck } from '#web/features/prospects/filter/use-filter-check.ts';
import { SenderSelects } from '#web/features/senders/sender-selects.tsx';
import { selectSenderGroup } from '#web/features/senders/senders-state.ts';
import { useCurrentSender } from '#web/features/senders/use-current-sender.ts';
import { PATHS, templatePath } from '#web/lib/address/paths.ts';
import type { Location } from '#web/lib/router/location.ts';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { APP_MESSAGES } from '../words.ts';
import { askForFirstSteps, askForList } from './ask-ahead.ts';
import styles from './attack-list.module.css';
import { CompanyPlace } from './company-place.tsx';
import { ExportPart } from './export-part.tsx';
import { FirstSteps, useAwaitedFirstSteps } from './first-steps.tsx';
import { ListTabs } from './list-tabs.tsx';
import { OrderDialogs } from './order-dialogs.tsx';
import { useCompanyLinks } from './use-company-links.ts';
import { useListParams } from './use-list-queries.ts';
import { useOrders } from './use-orders.ts';

const title = APP_MESSAGES.shell.nav.prospects;

/** Begins before the first rendering, which takes longer than the request on a slow processor. */
export function onOpen({ search }: Location): void {
  void askForFirstSteps();
  void askForList(search);
}

export function Component() {
  const senders = useCurrentSender();
  const list = useListParams();
  const filterPanel = useRef<HTMLElement>(null);
  const filterCheck = useFilterCheck(filterPanel, list.filter);
  const orders = useOrders(senders, list);
  const [exported, setExported] = useState<ExportSource | null>(null);
  const isBadDomain = useBadDomains();
  const company = useCompanyLinks();
  const [isAdding, setAdding] = useState(false);
  const [matchesPlace, setMatchesPlace] = useState<HTMLElement | null>(null);
  return (
    <div className={styles.page} data-awaiting={useAwaitedFirstSteps() || undefined}>
      <title>{`${title} | ${PRODUCT_NAME}`}</title>
      <h1 className="visually-hidden">{title}</h1>
      <FirstSteps templateId={senders.sender?.template_id} />
      <div className={styles.top}>
        <SenderSelects {...senders} isBadDomain={isBadDomain} editorPath={templatePath} />
        <div className={styles.tools}>
          <ButtonLink to={PATHS.newImport}>{APP_MESSAGES.importCompanies}</ButtonLink>
          <Button aria-haspopup="dialog" onClick={() => setAdding(true)}>
            {APP_MESSAGES.addCompany}
          </Button>
        </div>
      </div>
      <FilterPanel
        ref={filterPanel}
        filter={list.filter}
        onChange={list.setFilter}
        list={{
          status: list.status,
          group: senders.group,
          onApply: ({ filter, status, groupId }) => {
            if (groupId !== undefined) selectSenderGroup(groupId);
            list.setStatus(status);
            list.setFilter(filter);
          },
        }}
      />
      <strong ref={setMatchesPlace} className={styles.matches} />
      <MatchesPlace value={matchesPlace}>
        <ListTabs
          list={list}
          senders={senders}
          filterCheck={filterCheck}
          orders={orders}
          links={company.links}
          onExport={setExported}
          onAdd={() => setAdding(true)}
        />
      </MatchesPlace>
      <OrderDialogs orders={orders} />
      <ExportPart source={exported} onClose={() => setExported(null)} />
      <CompanyPlace company={company} group={senders.group} isAdding={isAdding} onAddingEnd={() => setAdding(false)} />
    </div>
  );
}
