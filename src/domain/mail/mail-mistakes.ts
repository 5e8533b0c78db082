import { addDays, isDay, WEEKDAYS, weekdayOf } from '../time/calendar.ts';
import { dayOf } from '../time/tokyo-time.ts';

/*
 * Finds likely mistakes in a rendered mail: unreplaced placeholders, a mentioned attachment (our mails have none), a
 * date with a wrong weekday. A false alarm teaches people to ignore the next one, so usual text is not reported.
 */

/** Words that follow the name in a greeting. */
const GREETED = '[ \\t\\u3000]*(?:様|樣|さま|御中|殿|各位|先生)';
/** Words that stand for a value. */
const NAME =
  '(?:貴社名|御社名|自社名|会社名|社名|企業名|店舗名|法人名|ご?担当者(?:様?名)?|氏名|お名前|名前|姓名?|部署名?|役職名?|宛名|商品名|サービス名|製品名|地域名?|業種名?)';
const OPEN = '[【\\[［<＜《〈]';
const CLOSE = '[】\\]］>＞》〉]';
const MARK = '[○〇◯●△▲□×XＸ]';
const KANJI_DIGIT = '[一二三四五六七八九十百千万億兆〇]';

/**
 * Placeholders of letters and of other mail programs. Excluded: 〇 as a digit (二〇〇〇年), ○ as a bullet, 【会社名】 as the label
 * of a form.
 */
const PLACEHOLDER = new RegExp(
  [
    // ○○様, 株式会社〇〇; but not 二〇〇〇年, and no line of marks.
    `(?<![○〇◯]|${KANJI_DIGIT})(?:(?<=\\S)[○〇◯]{2,4}|[○〇◯]{2,4}(?=[^\\s○〇◯]))(?![○〇◯]|${KANJI_DIGIT})`,
    `(?:[●▲△□◆×＊*]{2,4}|[XxＸｘ]{2,6}|[_＿]{2,20})(?=${GREETED}|株式会社|有限会社|合同会社)`,
    `(?<=株式会社|有限会社|合同会社)(?:[●▲△□◆×＊*]{2,4}|[XxＸｘ]{3,6}|[_＿]{2,20})`,
    // ○月○日, XX月XX日, 20XX年.
    `${MARK}{1,2}月${MARK}{1,2}日|(?<!\\d)20[XxＸｘ]{2}(?=年)`,
    `[(（「≪#＃]${NAME}[)）」≫#＃](?=${GREETED})`,
    `${OPEN}${NAME}${CLOSE}(?=${GREETED}|(?:の(?!欄)|[にはへと、])|を(?!ご?(?:記入|入力|明記)))`,
    // Merge fields of other programs, and mistyped ones of ours.
    '[{｛]{1,2}[^{}｛｝\\n]{0,40}[}｝]{1,2}',
    '\\[\\[[^\\[\\]\\n]{1,40}\\]\\]|［［[^［］\\n]{1,40}］］|«[^»\\n]{1,40}»|\\*\\|[^|\\n]{1,40}\\|\\*',
    '(?<![\\d%])%{1,2}[A-Za-z_ぁ-んァ-ヶー一-龠]{2,30}%{1,2}(?!\\d)',
  ].join('|'),
  'gmu',
);

const LINK = /https?:\/\/[^\s<>"]{1,2000}/g;

/** Returns the remaining placeholders of a text, each once, with the text after them so that people find them. */
export function placeholdersIn(text: string): string[] {
  const own = text.replace(LINK, ' ');
  return unique(
    [...own.matchAll(PLACEHOLDER)].map(({ 0: found, index }) => {
      const [behind = ''] = BEHIND.exec(own.slice(index + found.length)) ?? [];
      return found + behind;
    }),
  );
}

const BEHIND = new RegExp(`^(?:${GREETED}|株式会社|有限会社)`, 'u');

/** Words for an attachment, and words that deny one or ask the reader to attach something. */
const ATTACHMENT =
  /添付|別添|\b(?:see|find|is|are|have) (?:the |an |our )?(?:attached|enclosed)\b|\battached (?:file|document|pdf)/i;
const NO_ATTACHMENT = new RegExp(
  [
    '添付[^。、]{0,20}(?<!遠慮|間違い|問題|開け|読め)(?:な[しいく]|無[しい]|ません|ておら|せず)',
    '添付(?:ファイル|書類)?(?:は|も)?不要',
    '添付(?:して|のうえ|の上)[、]?(?:ご?返[信送]|いただ|[^。、]{0,6}(?:ください|下さい))',
    '(?:URL|ＵＲＬ|リンク|アドレス)[^。]{0,6}添付',
    'no attach',
  ].join('|'),
  'i',
);
const SENTENCE_END = /[。！？!?\n]+/;
/** The most characters of a sentence that a warning shows. */
const SHOWN_CHARACTERS = 40;

/** Returns the sentences of a text that mention an attachment. */
export const attachmentsIn = (text: string): string[] =>
  unique(
    text
      .split(SENTENCE_END)
      .filter((sentence) => ATTACHMENT.test(sentence) && !NO_ATTACHMENT.test(sentence))
      .map((sentence) => shortened(sentence.trim())),
  );

const shortened = (text: string): string =>
  text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…` : text;

/** An older date with its weekday is history, and not checked. */
const PAST_DAYS_MAX = 400;

/** The most days that a date without a year may be in the past. */
const NEAR_PAST_DAYS = 100;
const NEAR_DAYS = 270;

const YEAR = '(?:(?:(\\d{4})[年/.-]|令和(\\d{1,2})年)[ \\t]?)?(?<!\\d)';
const DAY = '(\\d{1,2})[月/.-][ \\t]?(\\d{1,2})日?[ \\t]?';
/** (金), 【金】, (木・祝), 金曜日 */
const IN_BRACKETS = '[(\\[【〔] ?([日月火水木金土])(?:曜日?)?(?:[・/、]?[祝休]日?)? ?[)\\]】〕]';
const DATE = new RegExp(`${YEAR}${DAY}(?:${IN_BRACKETS}|([日月火水木金土])曜)`, 'g');

export interface DateMistake {
  /** The date as the text has it, in half-width characters. */
  readonly text: string;
  /** The right weekday; null: the day is over, or does not exist (2月30日). */
  readonly right: string | null;
  readonly isOver: boolean;
}

/**
 * Finds dates with a wrong weekday, and past ones. A date without a year is the next one with its weekday, or the last
 * one.
 * @param now epoch milliseconds
 */
export function dateMistakesIn(text: string, now: number): DateMistake[] {
  const today = dayOf(now);
  const thisYear = Number(today.slice(0, 4));
  const found = [...text.normalize('NFKC').matchAll(DATE)].flatMap(
    ([date, year, era, month, day, inBrackets, bare]) => {
      const weekday = inBrackets ?? bare;
      const written = year ?? (era === undefined ? null : 2018 + Number(era));
      const years = written === null ? [thisYear, thisYear + 1, thisYear - 1] : [written];
      const all = years.map((one) => `${one}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`).filter(isDay);
      // Without a year the nearest day is meant: the next one, or one of the last months.
      const near = all.filter((one) => one > addDays(today, -NEAR_PAST_DAYS) && one < addDays(today, NEAR_DAYS));
      const days = written === null && near.length > 0 ? near : all;
      const mistake = (isOver: boolean, right: string | null): DateMistake[] => [{ text: date.trim(), right, isOver }];
      const fitting = days.filter((one) => weekdayName(one) === weekday);
      const meant = days.find((one) => one >= today) ?? days[0];
      if (fitting.length === 0) return mistake(false, meant === undefined ? null : weekdayName(meant));
      const isOver = fitting.every((one) => one < today) && fitting.some((one) => addDays(one, PAST_DAYS_MAX) > today);
      return isOver ? mistake(true, null) : [];
    },
  );
  return [...new Map(found.map((one) => [one.text, one])).values()];
}

const weekdayName = (day: string): string => WEEKDAYS[weekdayOf(day)] ?? '';

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
