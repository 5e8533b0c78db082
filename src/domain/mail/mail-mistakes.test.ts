import { describe, expect, test } from 'vitest';
import { attachmentsIn, dateMistakesIn, placeholdersIn } from './mail-mistakes.ts';

describe('placeholders', () => {
  test.each([
    ['○○様', '○○様'],
    ['〇〇株式会社 御中', '〇〇株式会社'],
    ['株式会社〇〇', '〇〇'],
    ['貴社の○○事業について', '○○'],
    ['03-○○○○-○○○○', '○○○○'],
    ['【会社名】様', '【会社名】様'],
    ['［担当者名］ 様', '［担当者名］ 様'],
    ['＜氏名＞さま', '＜氏名＞さま'],
    ['【会社名】の課題', '【会社名】'],
    ['{会社名}様', '{会社名}様'],
    ['{ {company_name} }様', '{company_name}'],
    ['｛｛company_name｝｝', '｛｛company_name｝｝'],
    ['%会社名% 御中', '%会社名% 御中'],
    ['%FIRST_NAME%', '%FIRST_NAME%'],
    ['[[company]]', '[[company]]'],
    ['*|FNAME|*', '*|FNAME|*'],
    ['«会社名»', '«会社名»'],
    ['＿＿＿様', '＿＿＿様'],
    ['●●様', '●●様'],
    ['XXX株式会社', 'XXX株式会社'],
    ['株式会社××', '××'],
    ['▲▲様', '▲▲様'],
    ['（会社名）様', '（会社名）様'],
    ['「ご担当者名」様', '「ご担当者名」様'],
    ['%%name%%', '%%name%%'],
    ['○月○日に伺います', '○月○日'],
    ['20XX年4月', '20XX'],
  ])('%j', (text, found) => {
    expect(placeholdersIn(`${text}\nお世話になっております。`)[0]).toBe(found);
  });

  test.each([
    '○ 資料のご送付\n○ お見積もり\n〇印をお付けください。',
    '二〇〇〇年、一〇〇名',
    '○○○○○○○○\n______________\n＊＊＊＊＊\n××××××',
    '【日時】12月10日\n【会社名】\n【お名前】\n【会社名】 株式会社みどり',
    '●● セミナーのご案内 ●●',
    '果汁100%還元50%、20%オフ10%',
    'https://example.jp/a?b=%AF%BD%&c={id}',
    '※（会社名）をご記入ください。◎○△×で評価',
    '価格 1,000円 [1] [2]',
    '「会社名」と「ご担当者名」をお知らせください。【氏名】の欄にご記入ください。',
  ])('none in %j', (text) => {
    expect(placeholdersIn(text)).toStrictEqual([]);
  });
});

describe('attachments', () => {
  test.each([
    '資料を添付いたしますのでご確認ください。',
    '添付ファイルをご覧ください。',
    '別添のとおりご案内いたします。',
    '資料を添付しておりますのでご確認ください。',
    'Please see the attached file.',
    '資料を添付しますので、ご不要な場合はご放念ください。',
    '資料を添付いたしますので遠慮なくお申し付けください。',
    '添付ファイルが開けない場合はご連絡ください。',
  ])('%s', (text) => {
    expect(attachmentsIn(`お世話になっております。${text}\n以上`)).toStrictEqual([
      text.replace(/[。]$/, '').replace(/\.$/, '.'),
    ]);
  });

  test.each([
    '添付なし',
    '添付ファイルは付けておりません。',
    '本メールに添付ファイルはございません。',
    '資料を添付してご返信ください。',
    'URLを添付いたします。',
    '履歴書を添付の上、ご応募ください。',
    '添付は不要です。',
    'There is no attachment.',
  ])('none in %s', (text) => {
    expect(attachmentsIn(text)).toStrictEqual([]);
  });
});

describe('dates', () => {
  const NOW = Date.parse('2026-11-28T12:00:00+09:00');
  test.each([
    ['2026年12月10日（金）', '木', false],
    ['１２月１０日（金曜日）14時', '木', false],
    ['12/10(金)', '木', false],
    ['2026/12/10 (金)', '木', false],
    ['令和8年12月10日（金）', '木', false],
    ['12月10日金曜日', '木', false],
    ['12月10日【金】', '木', false],
    ['2月30日（月）', null, false],
    ['2026年10月19日（月）', null, true],
    ['10月19日（月）', null, true],
    ['2025年12月10日（水）', null, true],
  ])('%s', (text, right, isOver) => {
    expect(dateMistakesIn(`開催日: ${text} 14:00〜`, NOW)).toMatchObject([{ right, isOver }]);
  });

  test.each([
    '2026年12月10日（木） 14:00〜',
    '12月10日(木・祝)',
    '12月10日木曜日',
    '12月10日［木］',
    '11月28日（土）',
    '1月5日（火）',
    '2020年4月1日（水）に設立',
    '2025年3月期、10月19日にお電話しました',
    '・11月30日(月) 9:00〜18:00',
    '2026年12月10日（木）〜12日（土）',
    '比率は 3/4(土地)',
  ])('none in %s', (text) => {
    expect(dateMistakesIn(text, NOW)).toStrictEqual([]);
  });
});
