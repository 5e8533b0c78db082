import { lazy, useEffect } from 'react';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { isDialogOpen, useKey } from '#web/lib/keys.ts';
import { loadPart } from '#web/lib/load-part.ts';
import { closeOverlay, openOverlay, useOverlay } from './overlay-state.ts';
import styles from './overlays.module.css';

const Palette = lazy(() => loadPart(() => import('./palette/palette.tsx')));
const KeysDialog = lazy(() => loadPart(() => import('./keys-dialog.tsx')));

/** Clicks the save button of the form that has the focus. */
function saveForm(): boolean {
  const form = document.activeElement?.closest('form');
  form?.querySelector<HTMLButtonElement>('button[type="submit"]')?.click();
  return form !== null && form !== undefined;
}

/** The dialogs of the frame and the keys that work on every screen. */
export function Overlays() {
  const { overlay } = useOverlay();
  useKey('palette', () => {
    if (overlay === 'palette') closeOverlay();
    else if (!isDialogOpen()) openOverlay('palette');
    return true;
  });
  useKey('help', () => {
    if (isDialogOpen()) return false;
    openOverlay('keys');
    return true;
  });
  useKey('save', saveForm);
  // The end of a session closes them.
  useEffect(() => closeOverlay, []);
  if (overlay === null) return null;
  return (
    <PartBoundary className={styles.failed}>
      {overlay === 'palette' ? <Palette onClose={closeOverlay} /> : <KeysDialog onClose={closeOverlay} />}
    </PartBoundary>
  );
}
