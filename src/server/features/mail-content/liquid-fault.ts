import { LiquidError } from 'liquidjs';
import { quoted, unusableFilter } from './template-rules.ts';

/** The reason when the parser says nothing that an author could use. */
export const UNREADABLE = 'テンプレートの書き方が正しくありません';

/** Patterns of the parser's English messages, and the Japanese message that replaces each. */
const PARSER_MESSAGES: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/^undefined filter: (.*)/, unusableFilter],
  [/^tag "(.*)" not found/, (name) => `「{% ${quoted(name)} %}」に対応する始まりのタグがありません`],
  [/^tag ".* not closed/s, () => '「{%」が「%}」で閉じられていません'],
  [/^tag (\{%.*%\}) not closed/s, (tag) => `「${quoted(tag)}」を閉じるタグがありません`],
  [/^output .* not closed/s, () => '「{{」が「}}」で閉じられていません'],
  [/^raw .* not closed/s, () => '「{% raw %}」が「{% endraw %}」で閉じられていません'],
];

/**
 * Turns an error of the Liquid parser into a message for the author of the template.
 * @returns a Japanese message, with the line number where the parser gives one
 * @throws the error itself when it is not the parser's
 */
export function liquidFault(error: unknown): string {
  if (!LiquidError.is(error)) throw error;
  const position = /, line:(\d+), col:\d+$/.exec(error.message);
  const reason = translate(position ? error.message.slice(0, position.index) : error.message);
  return position ? `${position[1]}行目：${reason}` : reason;
}

function translate(message: string): string {
  for (const [pattern, messageFor] of PARSER_MESSAGES) {
    const match = pattern.exec(message);
    if (match) return messageFor(match[1] ?? '');
  }
  return UNREADABLE;
}
