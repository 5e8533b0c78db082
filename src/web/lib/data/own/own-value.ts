import { plainDay } from '#domain/time/shown-time.ts';
import type { OwnField } from './own-fields.ts';

const NUMBERS = new Intl.NumberFormat('ja-JP', { maximumFractionDigits: 20 });

/**
 * Formats a value of an own field as pages and lists show it; blank: ''.
 * @param flags the words of はい・いいえ
 */
export function ownText(
  type: OwnField['type'],
  value: string | number | undefined,
  flags: Readonly<Record<0 | 1, string>>,
): string {
  if (value === undefined) return '';
  if (type === 'flag' && (value === 0 || value === 1)) return flags[value];
  if (type === 'number' && typeof value === 'number') return NUMBERS.format(value);
  return type === 'date' ? plainDay(String(value)) : String(value);
}
