let handed: readonly File[] = [];

/** Hands files that were chosen elsewhere to the screen of a new import, which opens next. */
export function handFiles(files: readonly File[]): void {
  handed = files;
}

/** Returns the handed files, once. */
export function takeHandedFiles(): readonly File[] {
  const taken = handed;
  handed = [];
  return taken;
}
