import { lazy, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import type { ExportSource } from '#web/features/exports/start-export.ts';
import { EXPORT_MESSAGES } from '#web/features/exports/words.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';

const ExportDialog = lazy(() => loadPart(() => import('#web/features/exports/export-dialog.tsx')));

interface Props {
  /** null: closed. */
  readonly source: ExportSource | null;
  readonly onClose: () => void;
}

/** Loads the export dialog when it opens. */
export function ExportPart({ source, onClose }: Props) {
  if (source === null) return null;
  return (
    <PartBoundary>
      <ExportDialog source={source} onClose={onClose} />
    </PartBoundary>
  );
}

/** Shows a button that opens the export of a screen. */
export function ExportButton({ source }: { readonly source: ExportSource }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {EXPORT_MESSAGES.open}
      </Button>
      <ExportPart source={isOpen ? source : null} onClose={() => setOpen(false)} />
    </>
  );
}
