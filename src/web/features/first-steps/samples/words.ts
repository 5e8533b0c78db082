import { companies } from '#web/lib/phrases.ts';

/** The texts of the sample companies. The list loads them, and the other texts of the first day late. */
export const SAMPLE_MESSAGES = {
  add: '見本の会社を入れる',
  added: (added: number) => `見本の会社${companies(added)}を入れました。実際の送信からは外れます`,
  help: (added: number) =>
    `見本の会社が${companies(added)}入っています。テスト送信はできますが、実際の送信からは外れます。`,
  remove: '見本の会社を消す',
  removed: (removed: number) => `見本の会社${companies(removed)}を消しました`,
} as const;
