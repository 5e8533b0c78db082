import { lazy } from 'react';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { useKey } from '#web/lib/keys.ts';
import { loadPart } from '#web/lib/load-part.ts';
import { closeOverlay, useOverlay } from './overlay-state.ts';
import styles from './overlays.module.css';

const Palette = lazy(() => loadPart(() => import('./palette/palette.tsx')));
const KeysDialog = lazy(() => loadPart(() => import('./keys-dialog.tsx')));

/** Clicks the save button of the form that has the focus. */
function saveForm(): boolean {
  const form = document.activeElement?.closest('form');
  form?.querySelector<HTMLButtonElement>('button[type="submit"]')?.click();
  return form !== null && form !== undefined;
}

/** The dialogs of the frame, and the key that saves the form of the screen. */
export function Overlays() {
  const { overlay } = useOverlay();
  useKey('save', saveForm);
  if (overlay === null) return null;
  return (
    <PartBoundary className={styles.failed}>
      {overlay === 'palette' ? <Palette onClose={closeOverlay} /> : <KeysDialog onClose={closeOverlay} />}
    </PartBoundary>
  );
}
