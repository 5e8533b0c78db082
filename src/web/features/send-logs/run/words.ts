import { companies } from '#web/lib/phrases.ts';

/** The texts of who sent a run, and to which list. */
export const RUN_ORIGIN_MESSAGES = {
  from: '差出人',
  conditions: '条件',
  everyone: '絞り込みなし（すべての見込み客）',
  chosen: '選んだ会社',
  interval: '再送信間隔',
  days: (days: number) => `${days.toLocaleString('ja-JP')}日`,
  leftOut: '対象外',
  leftOutBy: (all: number, reasons: string) => `${companies(all)}（${reasons}）`,
  repeat: '同じ条件で作る',
} as const;
