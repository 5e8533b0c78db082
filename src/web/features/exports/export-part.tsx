import { lazy, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import type { ExportSource } from '#web/features/exports/start-export.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { May } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';

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
    <May call="startExport">
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {COMMON_MESSAGES.actions.export}
      </Button>
      <ExportPart source={isOpen ? source : null} onClose={() => setOpen(false)} />
    </May>
  );
}
