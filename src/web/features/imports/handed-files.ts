let handed: readonly File[] = [];

/** Passes files that were chosen elsewhere to the screen of a new import, which opens next. */
export function handFiles(files: readonly File[]): void {
  handed = files;
}

/** Returns the passed files once, and forgets them. */
export function takeHandedFiles(): readonly File[] {
  const taken = handed;
  handed = [];
  return taken;
}
