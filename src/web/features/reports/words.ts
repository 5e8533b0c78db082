import { JUDGED_AFTER_DAYS, MIN_JUDGED_MAILS, monthInSentence, yearInSentence } from '#domain/time/report-period.ts';
import type { PeriodName } from '#domain/time/report-presets.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';

const PERIODS: Readonly<Record<PeriodName, string>> = {
  this_week: '今週',
  this_month: '今月',
  last_month: '先月',
  last_90_days: '直近90日',
  this_year: '今年',
};

const month = (from: string): string => `${monthInSentence(from, serverNow())}は`;
const count = (value: number): string => value.toLocaleString('ja-JP');
const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

/** The texts of レポート. */
export const REPORT_MESSAGES = {
  title: 'レポート',
  help: '本番の送信だけを、送信が終わった日で数えます。返信と配信停止は、そのメールの日に数えます。',
  filters: {
    period: '期間',
    custom: '期間を指定',
    from: '開始日',
    to: '終了日',
    endsBeforeStart: '終了日は、開始日以降の日にしてください',
    wrongPeriod: '終了日は開始日から366日以内にしてください',
    group: '送信者グループ',
    template: 'テンプレート',
    all: 'すべて',
    showsDays: (from: string, to: string) => `${from}〜${to}`,
    comparedWith: (from: string, to: string) => `前の期間（${from}〜${to}）との比較`,
  },
  periods: PERIODS,
  csv: '書き出す',
  print: '印刷',
  sentence: {
    /** The beginning of a sentence about a period. */
    of: {
      this_week: () => '今週は',
      this_month: month,
      last_month: month,
      last_90_days: () => '直近90日は',
      this_year: (from: string) => `${yearInSentence(from)}は`,
      custom: () => 'この期間は',
    },
    sent: (when: string, sent: string) => `${when}${sent}通を送信し、`,
    noReplyHelp: '返信はまだありません。',
    repliesHelp: (replied: string, rate: string) => `${replied}通の返信がありました（${rate}）。`,
    comparedHelp: (replied: string, rate: string, then: string) =>
      `${replied}通の返信がありました（${rate}、前の期間は${then}）。`,
    noneArrivedHelp: (when: string, ended: string) => `${when}${ended}通を送信しましたが、1通も届きませんでした。`,
    unknownHelp: (when: string, ended: string, unknown: string) =>
      `${when}${ended}通を送信しましたが、届いたことを確認できたメールはありません（不明 ${unknown}通）。`,
  },
  figures: 'この期間の結果',
  results: { sent: '送信済み', failed: '届かなかった', replied: '返信', refused: '配信停止', unknown: '不明' },
  count,
  percent,
  change: {
    up: (share: string) => `前の期間より${share}増`,
    down: (share: string) => `前の期間より${share}減`,
    same: '前の期間と同じ',
    new: '前の期間 0通',
  },
  target: {
    failed: '目安 2%以内',
    replied: '目安 1%以上',
    refused: '目安 0.5%以内',
    unknown: '目安 0.5%以内',
    good: (of: string, rate: string) => `良好${rate}（${of}）`,
    bad: (of: string, rate: string) => `要確認${rate}（${of}）`,
    judged: `送信から${JUDGED_AFTER_DAYS}日以上たったメールを、目安と比べています`,
    /** Of a part of the mails. */
    ofJudged: (rate: string) => ` ${rate}`,
    tooEarly: `目安との比較は、送信から${JUDGED_AFTER_DAYS}日後に表示します`,
    tooFew: `目安との比較は、送信が${MIN_JUDGED_MAILS}通になると表示します`,
  },
  byDay: {
    title: '日ごとの送信',
    weeks: '週ごとの送信',
    oneDayHelp: (day: string, mails: string) => `${day}に${mails}通を送信しました。`,
    severalDaysHelp: (first: string, last: string, days: number, mails: string) =>
      `${first}〜${last}に${days}日、合わせて${mails}通を送信しました。`,
    mostHelp: (day: string, mails: string) => `最も多いのは${day}の${mails}通です。`,
    offHelp: '土日と祝日は灰色です。',
    day: '日付',
    week: '週の初日',
    columnTitle: (day: string, sent: string, failed: string, unknown: string) =>
      `${day}：送信済み${sent}、届かなかった${failed}、不明${unknown}`,
    holiday: (day: string, name: string) => `${day} ${name}`,
  },
  byTemplate: {
    title: 'テンプレート別',
    none: 'テンプレートの記録なし',
    summaryHelp: (number: number) => `${number}件のテンプレートで送りました。`,
    bestHelp: (name: string, rate: string) =>
      `送信が${MIN_JUDGED_MAILS}通以上で返信率が最も高いのは「${name}」の${rate}です。`,
    template: 'テンプレート',
    sent: '送信',
    replyRate: '返信率',
    refusalRate: '停止率',
    /** Of too few mails. */
    noRate: '–',
  },
  byHour: {
    title: '時間帯と曜日',
    summaryHelp: (slot: string, rate: string) =>
      `送信した時間帯ごとの返信率（%）です。送信が${MIN_JUDGED_MAILS}通以上の時間帯で最も高いのは、${slot}の${rate}です。`,
    plainHelp: '送信した時間帯ごとの返信率（%）です。',
    slot: (weekday: string, hour: number) => `${weekday}曜${hour}時台`,
    cellTitle: (slot: string, sent: string, replied: string) => `${slot}：送信済み${sent}、返信${replied}`,
    time: '時間帯',
    weekdays: ['日', '月', '火', '水', '木', '金', '土'],
  },
  byIndustry: {
    title: '業種別',
    none: '業種の記録なし',
    summaryHelp: (name: string, mails: string) =>
      `送信の多い10業種までです。最も多いのは「${name}」の${mails}通です。業種は、送信を受け付けたときのものです。`,
    industry: '業種',
  },
  ofRun: {
    title: '時間ごとの結果',
    byTime: '時間ごとの送信',
    steps: { 1: '1分', 10: '10分', 60: '1時間', 1440: '1日' },
    summaryHelp: (of: {
      readonly step: string;
      readonly ended: string;
      readonly replied: string;
      readonly rate: string;
      readonly refused: string;
    }) =>
      `${of.step}ごとの数です。合わせて${of.ended}通で、返信は${of.replied}通（${of.rate}）、配信停止は${of.refused}通です。`,
    time: '時刻',
    empty: '送信が終わったメールはまだありません',
  },
  health: {
    title: '差出人ドメインの健康',
    complaints: (rate: string) => `苦情率：${rate}`,
    complaintsTarget: (rate: string) => `${rate}（目安 0.1%以内）`,
    dead: (rate: string) => `宛先不明率：${rate}`,
    deadTarget: (rate: string) => `${rate}（目安 2%以内）`,
    link: 'ドメインの状態を見る',
  },
  empty: 'この期間の送信はありません',
  emptyHelp: '期間や送信者グループを変えると、ほかの結果が見られます。',
  changePeriod: '期間を変更',
  file: {
    name: (from: string, to: string) => `レポート_${from}_${to}.csv`,
    headings: ['区分', '項目', '送信済み', '届かなかった', '返信', '配信停止', '不明'],
    total: '合計',
    before: '前の期間',
  },
};
