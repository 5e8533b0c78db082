import { useEffect } from 'react';
import { isDialogOpen, useKey } from '#web/lib/keys.ts';
import { closeOverlay, openOverlay, useOverlay } from '../overlay-state.ts';

/**
 * The keys that open the dialogs of the frame.
 * The frame listens, because it shows before the code of the screen and of its dialogs has arrived.
 */
export function OverlayKeys() {
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
  // The end of a session closes them.
  useEffect(() => closeOverlay, []);
  return null;
}
