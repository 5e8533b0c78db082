import { encode } from 'uqr';

/** Draws a QR code as one path: a run of dark modules is one line of it. */
export default function QrCode({ text, label, className }: Record<'text' | 'label' | 'className', string | undefined>) {
  const { size, data } = encode(text ?? '', { border: 2 });
  return (
    // Dark on light in every scheme: many apps read no other.
    <svg
      role="img"
      aria-label={label}
      className={className}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="white" />
      <path d={pathOf(data)} fill="black" />
    </svg>
  );
}

const pathOf = (rows: readonly (readonly boolean[])[]): string =>
  rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
