import { expect, test } from 'vitest';
import { meansBlank } from './blank-text.ts';

const ERRORS =
  '#REF! #N/A #VALUE! #NAME? #DIV/0! #NUM! #NULL! #SPILL! #CALC! #ERROR! #Error #エラー ＃ＲＥＦ！ ＃Ｎ／Ａ Err:502';
const MARKS = '- － ‐ ‑ – — ― − ー ｰ ─ -- ーー … *** ？ / ～ （） 。';
const JAPANESE =
  'なし ナシ ﾅｼ 無し 無 記載なし 記載無し 情報なし データなし 該当なし 特になし 不明 代表者不明 不詳 未定 未登録 未入力 非公開 未公表 (未登録) （未登録） ' +
  '【記載なし】 なし。 登録はありません 空欄 確認中';
const PROGRAMS = 'NULL null Null ＮＵＬＬ (null) <NULL> [null] \\N nil None NaN undefined N/A n.a NA Ｎ／Ａ unknown';

test.each(
  [ERRORS, MARKS, JAPANESE, PROGRAMS]
    .flatMap((words) => words.split(' '))
    .concat('', 'N / A', '記載 なし', '（ 未登録 ）'),
)('%j says nothing', (text) => expect(meansBlank(text)).toBe(true));

test.each(
  '0 ○ △ × なしや 梨 ヌル山 ヌル山太郎 株式会社なし 無印良品 不二家 未来 未来工業 空 非凡閣 情報技研 なしこ #1 #taro nullpo Nilsen Nathan 記載 ご担当者 要確認 -5 #1太郎 メール便'
    .split(' ')
    .concat('ヌル山 太郎', '#1 太郎', 'NULL 太郎'),
)('%j says something', (text) => expect(meansBlank(text)).toBe(false));
