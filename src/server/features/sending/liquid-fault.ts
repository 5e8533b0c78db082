import { LiquidError } from 'liquidjs';

/** What is wrong with a template, for its author. `line`: from 1; null where no line is to blame. */
interface LiquidFault {
  readonly line: number | null;
  readonly reason: string;
}

/** Of what an author wrote, so many characters are told again. */
const MAX_QUOTE = 40;

export const unknownField = (name: string): string => `「${name.slice(0, MAX_QUOTE)}」という差し込み項目はありません`;

/** The library's words, which no author should have to read, and ours. */
const REASONS: readonly (readonly [RegExp, (quoted: string) => string])[] = [
  [/^undefined variable: (.*)/, unknownField],
  [/^undefined filter: (.*)/, (name) => `「${name}」というフィルターはありません`],
  [/^tag "(end.*|else|elsif|when)" not found/, (name) => `「{% ${name} %}」に対応する始まりのタグがありません`],
  [/^tag "(.*)" not found/, (name) => `「{% ${name} %}」というタグはありません`],
  [/^tag ".* not closed/s, () => '「{%」が「%}」で閉じられていません'],
  [/^tag (\{%.*%\}) not closed/s, (tag) => `「${tag}」を閉じるタグがありません`],
  [/^output .* not closed/s, () => '「{{」が「}}」で閉じられていません'],
  [/^raw .* not closed/s, () => '「{% raw %}」が「{% endraw %}」で閉じられていません'],
  [/^ENOENT/, () => 'ほかのテンプレートは読み込めません'],
  [/limit exceeded$/, () => '処理の量が多すぎます。繰り返しを減らしてください'],
];
const UNREADABLE = 'テンプレートの書き方が正しくありません';

/** @throws what is no fault of a template */
export function readLiquidFault(error: unknown): LiquidFault {
  if (!(LiquidError.is(error) || error instanceof Error)) throw error;
  const place = /, line:(\d+), col:\d+$/.exec(error.message);
  const message = place ? error.message.slice(0, place.index) : error.message;
  return { line: place ? Number(place[1]) : null, reason: reasonOf(message) };
}

function reasonOf(message: string): string {
  for (const [pattern, words] of REASONS) {
    const found = pattern.exec(message);
    if (found) return words((found[1] ?? '').slice(0, MAX_QUOTE));
  }
  return UNREADABLE;
}
