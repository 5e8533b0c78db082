import { formulaText } from './harmless-cell.ts';

/** Notes in brackets about how to fill in a form's column. Bounded: a heading of many brackets took half a minute. */
const NOTE =
  /[([【〔〈<《『「{]\W?(?:入力)?(?:必須|任意|必要|要入力|半角|全角|required|optional|mandatory)[^)\]】〕〉>》』」}]{0,40}[)\]】〕〉>》』」}]/g;
const MARK_FIRST = /^(?:[*※★☆●◎○■□◆◇・#]+|(?:必須|任意)[:_・-]?(?=.))/;
const MARK_LAST = /(?:[*★☆●◎:]+|※\d*|(?<=.)[:_・-]?(?:必須|任意)(?:項目)?)$/;

/** Folds width, case and white space of a heading, and removes marks of required fields: （必須）, *, ※. */
export const foldHeading = (heading: string): string =>
  formulaText(heading.trim())
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\u200b\ufeff]+/g, '')
    .replace(NOTE, '')
    .replace(MARK_FIRST, '')
    .replace(MARK_LAST, '');
