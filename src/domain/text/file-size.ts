const UNITS = ['B', 'KB', 'MB', 'GB'] as const;

/** Returns a size as people read it: `980 B`, `24.4 KB`, `1.2 MB`. */
export function fileSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  const value = bytes / 1024 ** power;
  return `${value.toLocaleString('ja-JP', { maximumFractionDigits: power === 0 ? 0 : 1 })} ${UNITS[power]}`;
}
