import { lazy } from 'react';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import type { SenderGroup } from '#web/features/senders/list-sender-groups.ts';
import { prospectPath } from '#web/lib/address/paths.ts';
import { loadPart } from '#web/lib/load-part.ts';
import { useNarrowScreen } from '#web/lib/narrow-screen.ts';
import { Navigate } from '#web/lib/router/link.tsx';
import type { OpenCompany } from './use-company-links.ts';

const CompanyPanel = lazy(() => loadPart(() => import('./company-panel.tsx')));
const AddCompany = lazy(() => loadPart(() => import('./add-company.tsx')));

interface Props {
  readonly company: OpenCompany;
  readonly group: SenderGroup | undefined;
  readonly isAdding: boolean;
  readonly onAddingEnd: () => void;
}

/** The drawer of the company in the address, and the dialog that adds one. Both load when they open. */
export function CompanyPlace({ company: { id, links, moveTo, close }, group, isAdding, onAddingEnd }: Props) {
  const isNarrow = useNarrowScreen();
  if (id !== undefined && isNarrow) return <Navigate to={prospectPath(id)} replace />;
  return (
    <PartBoundary>
      {id === undefined ? null : <CompanyPanel id={id} group={group} onMove={moveTo} onClose={close} />}
      {isAdding ? (
        <AddCompany
          group={group}
          onClose={onAddingEnd}
          onAdded={(added) => {
            onAddingEnd();
            links.onOpen(added);
          }}
        />
      ) : null}
    </PartBoundary>
  );
}
