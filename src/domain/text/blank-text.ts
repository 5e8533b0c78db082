/*
 * Recognises texts for "no value", for the import, the company editor, the API and the greeting. Only a whole text
 * counts: ヌル山 太郎 and 株式会社なし are names.
 */

const SUBJECTS =
  '記載|情報|登録|入力|記入|データ|設定|該当|該当者|公開|公表|開示|回答|掲載|特に|連絡先|メール|メールアドレス|アドレス|代表者|代表者名|' +
  '代表|担当者|担当|氏名|名前|住所|所在地|電話|ホームページ|サイト|webサイト|hp|url';
const JAPANESE = new RegExp(
  `^(?:(?:${SUBJECTS})?[はが]?(?:なし|ナシ|無し|無|無い|ない|ありません|ございません|不明|不詳|未詳|未定)|` +
    '(?:[未非]|不)(?:登録|入力|記入|記載|設定|公開|公表|開示|確認|回答|掲載|取得)|調査中|確認中|空白|空欄|ブランク)(?:です)?$',
);

/** Words that databases, programs and forms write. */
const ENGLISH = new RegExp(
  '^(?:null|\\\\n|nil|none|nan|undefined|unknown|n[/.]?a|tbd|blank|empty|nodata|' +
    'not(?:available|applicable|set|specified))$',
);

/** Error values of spreadsheets and Access. A `#` before other words is none: `#taro`, `#1`. */
const ERROR_VALUE = new RegExp(
  '^(?:#[a-z/0]+[!?]|#n/?a|#(?:error|deleted|num|name|value|ref|div/0|getting_data|エラー|削除済み)!?|' +
    '(?:err|エラー):\\d{3})$',
);

/** Only dashes and marks: `-`, `ー`, `―`, `…`, `***`. A symbol such as ○ is a value. */
const MARKS_ONLY = /^[\p{P}−ー─━~〜]+$/u;

const BRACKETED = /^[([<{「【〔〈《『](.+)[)\]>}」】〕〉》』]$/;

/** Longer texts are values. */
const MAX_LENGTH = 20;
/** The start of every text for "no value". Most values start differently, and need no further check. */
const BEGINNING = new RegExp(
  `^[\\p{P}−<＜~～ー─━\\s\\uff21-\\uff5a\\uff66-\\uff9fntub${[...new Set(SUBJECTS.replaceAll('|', ''))].join('')}` +
    'なナ無不未非あご調確空ブeエ]',
  'iu',
);

/** Caches whether a text may start with a UTF-16 unit: an import checks millions of cells. */
const KNOWN_BEGINNINGS = new Map<number, boolean>();

function mayBeBlank(text: string): boolean {
  const unit = text.charCodeAt(0);
  const known = KNOWN_BEGINNINGS.get(unit);
  if (known !== undefined) return known;
  const may = BEGINNING.test(text.charAt(0));
  KNOWN_BEGINNINGS.set(unit, may);
  return may;
}

/** Checks whether a whole text stands for "no value": NULL, 記載なし, （未登録）, #REF!, ー. */
export function meansBlank(text: string): boolean {
  if (text === '') return true;
  if (text.length > MAX_LENGTH || !mayBeBlank(text)) return false;
  const folded = text.normalize('NFKC').toLowerCase().replace(/\s+/g, '').replace(/。$/, '');
  const word = BRACKETED.exec(folded)?.[1] ?? folded;
  return MARKS_ONLY.test(folded) || word === '' || JAPANESE.test(word) || ENGLISH.test(word) || ERROR_VALUE.test(word);
}
