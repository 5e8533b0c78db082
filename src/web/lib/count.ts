/** So many mails, companies, rows. */
export const count = (value: number): string => `${value.toLocaleString('ja-JP')}件`;
