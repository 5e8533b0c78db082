import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { useQuery } from '@tanstack/react-query';
import { lazy, useEffect, useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Menu } from '#web/components/dialog/menu.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { ExportPart } from '#web/features/exports/export-part.tsx';
import type { ExportSource } from '#web/features/exports/start-export.ts';
import { firstSteps, useFirstSight } from '#web/features/first-steps/first-steps-query.ts';
import { SampleNote } from '#web/features/first-steps/samples/sample-companies.tsx';
import { useHandFiles } from '#web/features/imports/handed-files.ts';
import { FilterPanel } from '#web/features/prospects/filter/filter-panel.tsx';
import { useFilterCheck } from '#web/features/prospects/filter/use-filter-check.ts';
import { OrderDialogs, useOrders } from '#web/features/runs/orders.tsx';
import type { SenderGroup } from '#web/features/senders/list-sender-groups.ts';
import { SenderSelects } from '#web/features/senders/sender-selects.tsx';
import { selectSenderGroup } from '#web/features/senders/senders-state.ts';
import { useCurrentSender } from '#web/features/senders/use-current-sender.ts';
import { PATHS, prospectPath, templatePath } from '#web/lib/address/paths.ts';
import { Navigate } from '#web/lib/router/link.tsx';
import type { Location } from '#web/lib/router/location.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { askForFirstSteps, askForList } from '../list/ask-ahead.ts';
import styles from '../list/attack-list.module.css';
import { ListTabs } from '../list/list-tabs.tsx';
import { type OpenCompany, useCompanyLinks } from '../list/use-company-links.ts';
import { useListParams } from '../list/use-list-queries.ts';
import { closeOverlay, openOverlay, useOverlay } from '../overlay-state.ts';
import { APP_MESSAGES } from '../words.ts';

/** Starts loading before the first rendering, which takes longer than the request on a slow processor. */
export function onOpen({ search }: Location): void {
  void askForFirstSteps();
  void askForList(search);
}

const FirstSight = lazy(() => loadPart(() => import('#web/features/first-steps/first-sight.tsx')));

const title = APP_MESSAGES.shell.nav.prospects;

const addCompany = () => openOverlay('add-company');

export function Component() {
  const senders = useCurrentSender();
  const list = useListParams();
  const filterPanel = useRef<HTMLElement>(null);
  const filterCheck = useFilterCheck(filterPanel, list.filter);
  const orders = useOrders(senders, list);
  const [exported, setExported] = useState<ExportSource | null>(null);
  const company = useCompanyLinks();
  const isNarrow = useNarrowScreen();
  const { data: facts } = useQuery(firstSteps);
  const isSight = useFirstSight(facts);
  const handFiles = useHandFiles();
  const tools = <Tools isNarrow={isNarrow} onAdd={addCompany} />;
  return (
    <div className={`stack ${styles.page}`}>
      <title>{`${title} | ${PRODUCT_NAME}`}</title>
      <h1 className="visually-hidden">{title}</h1>
      {isSight && facts !== undefined ? (
        <PartBoundary waiting={<div aria-busy="true" />}>
          <FirstSight data={facts} onFiles={handFiles} />
        </PartBoundary>
      ) : (
        <>
          {facts === undefined || facts.sample_companies === 0 ? null : (
            <SampleNote companies={facts.sample_companies} />
          )}
          <FilterPanel
            ref={filterPanel}
            selects={<SenderSelects {...senders} editorPath={templatePath} onFind={() => openOverlay('senders')} />}
            tools={isNarrow ? tools : null}
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
          <ListTabs
            list={list}
            senders={senders}
            filterCheck={filterCheck}
            orders={orders}
            links={company.links}
            onExport={setExported}
            onAdd={addCompany}
            tools={isNarrow ? null : tools}
          />
        </>
      )}
      <OrderDialogs orders={orders} />
      <ExportPart source={exported} onClose={() => setExported(null)} />
      <CompanyPlace company={company} group={senders.group} />
    </div>
  );
}

interface ToolsProps {
  readonly isNarrow: boolean;
  readonly onAdd: () => void;
}

/** Shows the buttons that fill the list: quiet ones in the list's line, on phones in the menu ⋯. */
function Tools({ isNarrow, onAdd }: ToolsProps) {
  const mayAdd = useMay('createProspect');
  const tools = (
    <>
      <ButtonLink variant="quiet" to={PATHS.newImport}>
        {APP_MESSAGES.importCompanies}
      </ButtonLink>
      <Button variant="quiet" aria-haspopup="dialog" onClick={onAdd}>
        {APP_MESSAGES.addCompany}
      </Button>
    </>
  );
  if (!mayAdd) return null;
  if (!isNarrow) return tools;
  const dots = (
    <>
      <IconDots size={20} aria-hidden />
      <span className="visually-hidden">{APP_MESSAGES.moreTools}</span>
    </>
  );
  return <Menu label={dots}>{tools}</Menu>;
}

const CompanyPanel = lazy(() => loadPart(() => import('../company/company-panel.tsx')));

const AddCompany = lazy(() => loadPart(() => import('./add-company.tsx')));

interface Props {
  readonly company: OpenCompany;
  readonly group: SenderGroup | undefined;
}

/** Shows the drawer of the company in the address, and the dialog that adds a company. Both load when they open. */
function CompanyPlace({ company: { id, links, moveTo, close }, group }: Props) {
  const isNarrow = useNarrowScreen();
  const isAdding = useOverlay(({ overlay }) => overlay === 'add-company');
  // Closes the palette's dialog when the user leaves; the palette may open it before this screen is mounted.
  useEffect(() => () => void (useOverlay.getState().overlay === 'add-company' && closeOverlay()), []);
  if (id !== undefined && isNarrow) return <Navigate to={prospectPath(id)} replace />;
  return (
    <PartBoundary>
      {id === undefined ? null : <CompanyPanel id={id} group={group} onMove={moveTo} onClose={close} />}
      {isAdding ? (
        <AddCompany
          group={group}
          onClose={closeOverlay}
          onAdded={(added) => {
            closeOverlay();
            links.onOpen(added);
          }}
        />
      ) : null}
    </PartBoundary>
  );
}
