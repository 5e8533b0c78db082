import { prefectureOf } from './at-a-glance.ts';

/** Finds signs in a list's row that its company or telephone number is not in Japan. */

const FOREIGN_NAME = new RegExp(
  '^(?:アメリカ|米国|カナダ|メキシコ|ブラジル|英国|イギリス|フランス|ドイツ|イタリア|スペイン|オランダ|ベルギー|スイス|ロシア|' +
    'オーストラリア|ニュージーランド|豪州|中国|中華|香港|マカオ|澳門|台湾|台灣|臺灣|韓国|大韓民国|ソウル|シンガポール|マレーシア|' +
    'インドネシア|ベトナム|フィリピン|ミャンマー|カンボジア|ラオス|インド|モンゴル|タイ(?:王?国|、|,| |バンコク)|バンコク|' +
    '台北|新北市|高雄|台中市|台南市|北京|上海|天津市|重慶|広州|广|深圳|深セン|大連|蘇州|青島市|[\\p{Script=Han}]{2,3}省|' +
    '[ァ-ヶー・]{2,}(?:州|省|市|郡))',
  'u',
);
const JAPANESE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const OTHER_SCRIPT = /[\p{Script=Hangul}\p{Script=Thai}\p{Script=Cyrillic}\p{Script=Arabic}]/u;
const LATIN_WORD = /[a-z]{4}/i;
/** Matches `Chiyoda-ku`, `Osaka-shi` or `Japan`. */
const ROMANISED =
  /-(?:ken|to|fu|shi|ku|gun|cho|machi|mura|chome)\b|\b(?:japan|hokkaido|tokyo|yokohama|nagoya|kyoto|osaka|kobe)\b/i;

/** Checks whether an address is abroad. One without a country counts as Japanese if its letters are. */
export function isAbroad(address: string): boolean {
  const text = address.normalize('NFKC').trim();
  if (prefectureOf(text) !== '') return false;
  if (FOREIGN_NAME.test(text) || OTHER_SCRIPT.test(text)) return true;
  return LATIN_WORD.test(text) && !JAPANESE_SCRIPT.test(text) && !ROMANISED.test(text);
}

/** Checks whether a cell names a country or country code, so that its telephone numbers are kept unchanged. */
export const namesCountry = (cell: string): boolean =>
  !/^(?:|日本国?|japan|jpn?)$/i.test(cell.normalize('NFKC').trim());

const COUNTRY_CODE = /(?:^|[^\p{L}\p{N}._-])\+ ?\(?\d(?:\d{0,2}\)?$|[\d() .-]{6})/u;

/** Checks whether a cell has a country code, alone or before a number: `+1 702 …`, but not `info+1@…`. */
export const hasCountryCode = (cell: string): boolean => COUNTRY_CODE.test(cell.normalize('NFKC').trim());
