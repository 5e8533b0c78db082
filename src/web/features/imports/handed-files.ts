import { PATHS } from '#web/lib/address/paths.ts';
import { useNavigate } from '#web/lib/router/use-router.ts';

let handed: readonly File[] = [];

/** Returns a function that opens the screen of a new import with files that were chosen elsewhere. */
export function useHandFiles(): (files: readonly File[]) => void {
  const navigate = useNavigate();
  return (files) => {
    handed = files;
    void navigate(PATHS.newImport).then(() => {
      // The user stayed on a screen because of unsaved work: a later visit must not import the files.
      if (window.location.pathname !== PATHS.newImport) handed = [];
    });
  };
}

/** Returns the passed files once, and forgets them. */
export function takeHandedFiles(): readonly File[] {
  const taken = handed;
  handed = [];
  return taken;
}
