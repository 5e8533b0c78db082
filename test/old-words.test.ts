import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** One thing has one word (decisions/words): the words that a reader did not understand do not come back. */

const ROOT = join(import.meta.dirname, '..');

interface OldWords {
  readonly was: RegExp;
  /** What stands there instead, as the sources write it. */
  readonly now: string;
  /** Files where the old words are right, each with the reason. */
  readonly except?: Readonly<Record<string, string>>;
}

const OLD: readonly OldWords[] = [
  { was: /の差出人として登録しました/, now: 'このアドレスを差出人として使うための確認です' },
  { was: /登録した方に/, now: '画面の「もう一度送る」を押してください' },
  { was: /最初の差出人に使います/, now: 'ログインと、メールの差出人のアドレスに使います' },
  { was: /手直しして使える文面/, now: 'すぐに使える文面を用意してあります' },
  { was: /'最初のアカウントの作成'/, now: "'アカウントの作成'" },
  { was: /宛先で拒否/, now: '相手のサーバーに拒否された宛先' },
  { was: /'はじめて'/, now: "firstMail: '未送信'" },
  { was: /対象を加え、候補日を置き換えます/, now: '候補日を今回の内容に置き換えます' },
  { was: /送信日時の内容になります/, now: '送信するときの最新の文面・差出人・宛先で送ります' },
  { was: /2つに分ける/, now: '昼休みを入れる' },
  { was: /終わりの時刻からは送りません/, now: '終了時刻になると送信を止めます' },
  // What saves at once shows it, without a sentence.
  { was: /すぐに保存されます/, now: '' },
  { was: /失敗の割合の超過/, now: '失敗が多いとき' },
  { was: /予約の未送信/, now: '予約が送信されなかったとき' },
  { was: /配信停止の希望かもしれ/, now: '配信停止を求めている可能性のある返信' },
  { was: /まとめと目安/, now: 'まとめと割合' },
  {
    was: /people: '人'/,
    now: "people: '自分'",
    except: { 'src/web/features/imports/words.ts': 'the people of companies, counted beside these' },
  },
  { was: /要らなくなった宛先/, now: '不要になった宛先を消す時期を決めます' },
  { was: /付けた印|手動の印/, now: 'が記録`' },
  {
    was: /送信待ちのメールは送りません/,
    now: '送信待ちのメールも取り消します',
    except: { 'src/web/features/companies/words.ts': 'an archived company keeps its waiting mails until they are due' },
  },
  { was: /look: '確認'|「確認」は/, now: "look: '要確認'" },
  { was: /社外に出るサーバーのアドレスは/, now: 'メールの提供元が案内する値' },
  { was: /DKIMの署名を付けていません/, now: 'DKIMの署名は、送信サーバーの設定を確かめてください' },
  { was: /送信があったのは/, now: '通を送信しました。' },
  { was: /前の期間は0/, now: '前の期間 0通' },
  { was: /まだ判断できません/, now: '目安との比較は、' },
  { was: /保存した内容が使われるとき/, now: 'いつから反映されますか' },
  { was: /'コマンド'/, now: "byCommand: 'サーバーの管理者'" },
  { was: /もっと入力する/, now: 'ほかの項目も入力' },
  { was: /アドレスを直して再送信/, now: "button: 'このアドレスに送り直す'" },
  // A label or a column. Buttons and sentences below a heading shorten it.
  {
    was: /: 'グループ'|・グループ'/,
    now: "group: '送信者グループ'",
  },
  {
    was: /allGroups: 'すべて|本番とテスト/,
    now: "all: 'すべて'",
    except: { 'src/web/features/sending-rules/closing-days/words.ts': 'a value, which stands without its label too' },
  },
  { was: /CSVで(?:追加|書き出す)|CSVで配信停止を|休業日をCSVで/, now: 'CSVを取り込む' },
  { was: /（メールキャッチャー）/, now: '（サーバー未設定）' },
  { was: /アドレスの差出人がいます：/, now: '1分あたりの上限は差出人ごとに数えるため' },
  { was: /該当 (?:…件|件数不明|\$\{count\(total\)\})/, now: '該当 社数不明' },
];

const FILES = globSync(['src/{web,contract,server,domain}/**/*.{ts,tsx}', 'docs/guide.md'], { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !/\.test\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

const filesWith = (words: RegExp) => FILES.filter(({ text }) => words.test(text)).map(({ path }) => path);

describe.each(OLD)('$was', ({ was, now, except = {} }) => {
  test('stands nowhere but where it is right', () => {
    expect(filesWith(was)).toStrictEqual(Object.keys(except));
  });

  test('has a successor', () => {
    expect(FILES.some(({ text }) => text.includes(now))).toBe(true);
  });
});

test('the texts of screens, mails, files, the API and the guide were read', () => {
  const read = FILES.map(({ path }) => path);
  expect(read.length).toBeGreaterThan(800);
  for (const path of [
    'src/web/features/reports/words.ts',
    'src/contract/answers/replies.ts',
    'src/server/features/mailed-keys/mails.ts',
    'src/domain/sending/delivery-reason-names.ts',
    'docs/guide.md',
  ])
    expect(read).toContain(path);
});
