const COLOR_NAMES: Readonly<Record<string, string>> = {
  '#fff': 'white',
  '#ffffff': 'white',
  '#000': 'black',
  '#000000': 'black',
};

/** Writes equal colours alike, as far as mails write them. */
export function canonicalColor(written: string): string {
  const color = written.trim().toLowerCase().replace(/\s+/g, '');
  const [, ...parts] = /^rgba?\((\d{1,3}),(\d{1,3}),(\d{1,3})(?:,1)?\)$/.exec(color) ?? [];
  const hex =
    parts.length === 3 ? `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}` : color;
  const long = /^#([\da-f])([\da-f])([\da-f])$/.exec(hex);
  const full = long
    ? `#${long
        .slice(1)
        .map((digit) => digit + digit)
        .join('')}`
    : hex;
  return COLOR_NAMES[full] ?? full;
}
