import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { makeProspectsCsv } from '../scripts/make-examples.ts';

/**
 * `node bench/import-files.ts FOLDER ROWS`: writes one list in two encodings, with five columns more, and with people.
 * Runs in its own process, so that its memory is not measured.
 */
const [folder = '.', rows = '1000'] = process.argv.slice(2);
const text = makeProspectsCsv(Number(rows));
await writeFile(join(folder, 'utf8.csv'), text);
await writeFile(join(folder, 'cp932.csv'), iconv.encode(text, 'cp932'));

const [heading = '', ...companies] = text.trimEnd().split('\n');
const EVENTS = ['東京産業展', '大阪ものづくり展', '名古屋機械要素展', '福岡食品展'];
const own = companies.map((line, at) =>
  [line, `${EVENTS[at % 4]} ${at % 300}`, 'ABC'[at % 3], at % 1000, `2026/10/${1 + (at % 30)}`, '○×'[at % 2]].join(),
);
await writeFile(join(folder, 'own.csv'), [`${heading},展示会名,ランク,席数,訪問日,会員`, ...own, ''].join('\n'));
// As of 3,000 business cards of 1,900 companies.
const people = companies.map((_, at) => {
  const company = companies[Math.floor((at * 2) / 3)] ?? '';
  return [
    company,
    `第${at % 9}営業部`,
    '課長',
    `佐藤 ${at}`,
    `p${at}@card.example`,
    '090-0000-0000',
    '2026/10/15',
  ].join();
});
const PEOPLE = '部署,役職,氏名,担当者メール,携帯,名刺交換日';
await writeFile(join(folder, 'people.csv'), [`${heading},${PEOPLE}`, ...people, ''].join('\n'));
