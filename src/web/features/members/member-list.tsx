import { useQuery } from '@tanstack/react-query';
import { lazy, useMemo, useState } from 'react';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { memberColumns } from './member-columns.tsx';
import type { MemberAct } from './member-dialogs.tsx';
import { memberList, namedGroups } from './members-query.ts';
import { MEMBER_MESSAGES as messages } from './words.ts';

const MemberDialog = lazy(() => loadPart(() => import('./member-dialogs.tsx')));

interface Open {
  readonly act: MemberAct;
  readonly id: number;
}

/** Lists the members, with a menu of acts for admins. */
export function MemberList() {
  const isAdmin = useMay('updateMember');
  const [open, setOpen] = useState<Open | null>(null);
  const { data: members, isError, error, refetch } = useQuery(memberList);
  const { data: groups } = useQuery(namedGroups);
  const columns = useMemo(
    () => memberColumns(groups ?? [], isAdmin ? (act, { id }) => setOpen({ act, id }) : null),
    [groups, isAdmin],
  );
  if (isError && members === undefined)
    return <LoadFailed what={messages.title} error={error} onRetry={() => void refetch()} />;
  // The dialog shows what is stored now, also after another admin's change.
  const member = members?.find(({ id }) => id === open?.id);
  return (
    <>
      <DataTable
        label={messages.title}
        columns={columns}
        // The names of groups belong to the first sight.
        rows={groups === undefined ? undefined : members}
        rowId={({ id }) => id}
        empty={null}
      />
      <PartBoundary>
        {open === null || member === undefined ? null : (
          <MemberDialog act={open.act} member={member} groups={groups ?? []} onClose={() => setOpen(null)} />
        )}
      </PartBoundary>
    </>
  );
}
