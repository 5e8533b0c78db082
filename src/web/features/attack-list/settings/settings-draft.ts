import { MAX_RESEND_DAYS, MAX_TARGETS } from '#domain/limits.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { testAddress } from '#domain/sending/attack-list.ts';
import { parseJapaneseNumber } from '#domain/text/japanese-number.ts';
import type { AttackListSettings, TypedSettings } from '../attack-list-state.ts';
import { ATTACK_LIST_MESSAGES } from '../words.ts';

export type SettingsFaults = Partial<Record<keyof TypedSettings, string>>;

export const draftOfSettings = ({ days_from_lastday, test_mode }: AttackListSettings): TypedSettings => ({
  days: String(days_from_lastday),
  testTo: test_mode.mail_to,
  testLimit: String(test_mode.limit_count),
});

function wholeNumber(text: string, min: number, max: number): number | undefined {
  const parsed = parseJapaneseNumber(text);
  return parsed.ok && parsed.value !== null && parsed.value >= min && parsed.value <= max ? parsed.value : undefined;
}

function testToFault(testTo: string): string | undefined {
  if (testTo.trim() === '') return ATTACK_LIST_MESSAGES.testToMissing;
  return parseMailAddress(testAddress(testTo, 0)).ok ? undefined : ATTACK_LIST_MESSAGES.testToWrong;
}

/** Returns the settings of a draft, and its errors. A faulty field leaves its setting unchanged. */
export function readSettings(
  draft: TypedSettings,
  settings: AttackListSettings,
): { settings: AttackListSettings; faults: SettingsFaults } {
  const days = wholeNumber(draft.days, 0, MAX_RESEND_DAYS);
  const testLimit = wholeNumber(draft.testLimit, 1, MAX_TARGETS);
  const testTo = testToFault(draft.testTo);
  const faults: SettingsFaults = {};
  if (days === undefined) faults.days = ATTACK_LIST_MESSAGES.wholeNumber(0, MAX_RESEND_DAYS);
  if (settings.is_test_mode && testLimit === undefined)
    faults.testLimit = ATTACK_LIST_MESSAGES.wholeNumber(1, MAX_TARGETS);
  if (settings.is_test_mode && testTo !== undefined) faults.testTo = testTo;
  const read = {
    ...settings,
    days_from_lastday: days ?? settings.days_from_lastday,
    test_mode: { mail_to: draft.testTo.trim(), limit_count: testLimit ?? settings.test_mode.limit_count },
  };
  return { settings: read, faults };
}
