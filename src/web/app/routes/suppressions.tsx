import { lazy, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { ExportButton } from '#web/features/exports/export-part.tsx';
import { SuppressionList } from '#web/features/suppressions/suppression-list.tsx';
import { SUPPRESSION_ADD_MESSAGES, SUPPRESSION_MESSAGES } from '#web/features/suppressions/words.ts';
import { given, SUPPRESSIONS } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { May } from '#web/lib/session/use-may.ts';

const AddDialog = lazy(() => loadPart(() => import('#web/features/suppressions/add-dialog.tsx')));
const ImportDialog = lazy(() => loadPart(() => import('#web/features/suppressions/import-dialog.tsx')));

export function Component() {
  const [open, setOpen] = useState<'add' | 'import' | null>(null);
  const [{ page: _page, ...filter }] = useAddress(SUPPRESSIONS);
  const close = () => setOpen(null);
  return (
    <PageFrame
      title={SUPPRESSION_MESSAGES.title}
      help={SUPPRESSION_MESSAGES.help}
      guide="suppressions"
      tools={
        <>
          <May call="importSuppressions">
            <Button aria-haspopup="dialog" onClick={() => setOpen('import')}>
              {SUPPRESSION_ADD_MESSAGES.import}
            </Button>
          </May>
          <ExportButton source={{ what: 'suppressions', ...given(filter) }} />
        </>
      }
      action={
        <May call="addSuppressions">
          <Button variant="primary" aria-haspopup="dialog" onClick={() => setOpen('add')}>
            {SUPPRESSION_ADD_MESSAGES.add}
          </Button>
        </May>
      }
    >
      <SuppressionList />
      <PartBoundary>
        {open === 'add' ? <AddDialog onClose={close} /> : null}
        {open === 'import' ? <ImportDialog onClose={close} /> : null}
      </PartBoundary>
    </PageFrame>
  );
}
