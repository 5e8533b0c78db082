import { PERSON_FIELD_NAMES } from '#contract/companies/people-names.ts';
import { MAX_PEOPLE_OF_COMPANY } from '#domain/limits.ts';
import { persons } from '#web/lib/phrases.ts';

/** The texts of the people of a company. */
export const PEOPLE_MESSAGES = {
  title: '相手の人',
  heading: (number: number) => (number === 0 ? '相手の人' : `相手の人 ${persons(number)}`),
  noneHelp: 'まだ登録していません。名刺などの担当者を登録すると、その人に宛ててメールを送れます。',
  add: '人を追加',
  fullHelp: `1社に登録できるのは${persons(MAX_PEOPLE_OF_COMPANY)}までです（宛先から外した人も数えます）。`,
  primary: '主担当',
  noName: '（氏名なし）',
  /** For somebody who was erased, in the history. */
  goneName: '（消去済みの人）',
  metOn: (day: string) => `名刺交換 ${day}`,
  editOf: (name: string) => `${name}を編集`,
  actsOf: (name: string) => `${name}の操作`,
  acts: {
    makePrimary: '主担当にする',
    notPrimary: '主担当を外す',
    archive: '宛先から外す',
    restore: '宛先に戻す',
  },
  /** How a person is named in sentences. */
  polite: (name: string) => `${name}さん`,
  done: {
    makePrimary: (name: string) => `${name}を主担当にしました`,
    notPrimary: (name: string) => `${name}を主担当から外しました`,
    archive: (name: string) => `${name}を宛先から外しました`,
    restore: (name: string) => `${name}を宛先に戻しました`,
  },
  archived: (number: number) => `宛先から外した人（${persons(number)}）`,
  addressee: '宛名の見え方：',
  slash: ' / ',
  suppressedHelp: '主担当に送れません。',
  change: '主担当を変える',
  suppressedMark: '配信停止',
  fields: PERSON_FIELD_NAMES,
  dialog: { add: '人の追加', edit: '人の編集' },
  addAct: '追加',
  added: (name: string) => `${name}を追加しました`,
  saved: (name: string) => `${name}を保存しました`,
  somebody: '人',
  missing: '氏名・部署・役職・担当者メール・電話番号のどれかを入力してください',
  greeting: (addressee: string) => `宛名：${addressee}`,
  same: (name: string) => `この会社に、同じ人がいます${name === '' ? '' : `（${name}）`}`,
  sameArchived: (name: string) => `同じ人が、宛先から外した人の中にいます${name === '' ? '' : `（${name}）`}`,
} as const;
