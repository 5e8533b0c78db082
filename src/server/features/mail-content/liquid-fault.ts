import { LiquidError } from 'liquidjs';
import { quoted, unusableFilter } from './template-rules.ts';

export const UNREADABLE = 'テンプレートの書き方が正しくありません';

/** The parser's messages, which no author should have to read, and ours. */
const REASONS: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/^undefined filter: (.*)/, unusableFilter],
  [/^tag "(.*)" not found/, (name) => `「{% ${quoted(name)} %}」に対応する始まりのタグがありません`],
  [/^tag ".* not closed/s, () => '「{%」が「%}」で閉じられていません'],
  [/^tag (\{%.*%\}) not closed/s, (tag) => `「${quoted(tag)}」を閉じるタグがありません`],
  [/^output .* not closed/s, () => '「{{」が「}}」で閉じられていません'],
  [/^raw .* not closed/s, () => '「{% raw %}」が「{% endraw %}」で閉じられていません'],
];

/** @returns what the parser refused, for the author of the template. @throws any other error */
export function liquidFault(error: unknown): string {
  if (!LiquidError.is(error)) throw error;
  const place = /, line:(\d+), col:\d+$/.exec(error.message);
  const reason = reasonOf(place ? error.message.slice(0, place.index) : error.message);
  return place ? `${place[1]}行目：${reason}` : reason;
}

function reasonOf(message: string): string {
  for (const [pattern, words] of REASONS) {
    const found = pattern.exec(message);
    if (found) return words(found[1] ?? '');
  }
  return UNREADABLE;
}
