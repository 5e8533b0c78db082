/** Whether this browser has recorded that something was shown. The key is one of localStorage. */
export function isSeen(key: string): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

export function storeSeen(key: string): void {
  try {
    localStorage.setItem(key, '1');
  } catch {
    // A browser without storage shows it each time.
  }
}
