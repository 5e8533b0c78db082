import { useQuery } from '@tanstack/react-query';
import { lazy, useMemo } from 'react';
import { Button } from '#web/components/button.tsx';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { SHOWN_IN_PLACE } from '#web/lib/api/query-client.ts';
import { mailboxList } from '#web/lib/data/mailboxes.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { isDemo, useSession } from '#web/lib/session/session-store.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { mailboxColumns } from './mailbox-columns.tsx';
import type { MailboxAct } from './mailbox-dialog.tsx';
import { newForm } from './mailbox-form.ts';
import { MAILBOX_MESSAGES as messages } from './words.ts';

const MailboxDialog = lazy(() => loadPart(() => import('./mailbox-dialog.tsx')));

/** The open dialog. */
export type Open = { readonly act: 'add' } | { readonly act: Exclude<MailboxAct, 'add'>; readonly id: number };

interface Props {
  readonly open: Open | null;
  readonly onOpen: (open: Open | null) => void;
}

const NOBODY = { name: '', email: '' };

/** Lists the mailboxes, with what a member may do about his own, and an admin about all. */
export function MailboxList({ open, onOpen }: Props) {
  const [mayAdd, mayUpdate] = [useMay('addMailbox'), useMay('updateMailbox')];
  const isOfDemo = useSession(isDemo);
  const me = useSession(({ current_user }) => current_user) ?? NOBODY;
  const { data: rows, isError, error, refetch } = useQuery({ ...mailboxList, staleTime: 0, meta: SHOWN_IN_PLACE });
  const columns = useMemo(
    () => mailboxColumns(mayUpdate ? (act, { id }) => onOpen(act === 'add' ? { act } : { act, id }) : null),
    [mayUpdate, onOpen],
  );
  if (isError && rows === undefined)
    return <LoadFailed what={messages.title} error={error} onRetry={() => void refetch()} />;
  // The dialog shows what is stored now, also after another member's change.
  const mailbox = open === null || open.act === 'add' ? null : rows?.find(({ id }) => id === open.id);
  const isOpen = open !== null && rows !== undefined && mailbox !== undefined && mailbox?.may_change !== 0;
  return (
    <>
      <DataTable
        label={messages.title}
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        empty={
          <EmptyState
            kind="none"
            title={messages.empty}
            help={isOfDemo ? messages.emptyOfDemoHelp : mayAdd ? messages.emptyHelp : messages.emptyOfOthersHelp}
          >
            {mayAdd ? (
              <Button variant="primary" aria-haspopup="dialog" onClick={() => onOpen({ act: 'add' })}>
                {messages.add}
              </Button>
            ) : null}
          </EmptyState>
        }
      />
      <PartBoundary>
        {isOpen ? (
          <MailboxDialog act={open.act} mailbox={mailbox} blank={newForm(me, rows)} onClose={() => onOpen(null)} />
        ) : null}
      </PartBoundary>
    </>
  );
}
