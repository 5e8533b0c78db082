import { companies } from '#web/lib/phrases.ts';

/** What the chip and the history say of a run that can be taken back; its line has texts of its own. */
export const UNDO_MESSAGES = {
  /** Without the seconds, so that it is said once. */
  announced: (targets: number) => `${companies(targets)}に送信します。いまなら、送信を取り消せます`,
  state: '取り消し',
  done: '送信前に取り消しました。1通も送っていません',
} as const;
