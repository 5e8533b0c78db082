import { createInterface } from 'node:readline/promises';
import { updateLegalProfile } from '#contract/senders/legal-profile.ts';
import type { LegalProfile } from '#domain/law/profile.ts';
import { UsageError } from '../command.ts';

/** The options of `account create` for the legal profile, as Commander names them. */
export interface WrittenLegal {
  readonly postalCode?: string;
  readonly address?: string;
  readonly phone?: string;
  readonly refusalEmail?: string;
}

const OPTIONS = [
  ['postalCode', 'postal_code', '郵便番号'],
  ['address', 'postal_address', '住所（都道府県から）'],
  ['phone', 'contact_phone', '苦情・お問い合わせを受け付ける電話番号'],
  ['refusalEmail', 'refusal_email', '配信停止の受付先メール（社外から開けるhttpsのアドレスがあれば不要）'],
] as const;

/**
 * Reads a legal profile from options. On a terminal asks for missing fields; Enter leaves one empty.
 * @throws UsageError for a malformed value
 */
export async function readLegal(given: WrittenLegal): Promise<Partial<LegalProfile>> {
  const profile: Partial<Record<keyof LegalProfile, string>> = {};
  const terminal = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stderr }) : null;
  try {
    for (const [option, field, label] of OPTIONS) {
      const written = given[option] ?? (await terminal?.question(`法定表示の${label}（Enterで後から入力）: `)) ?? '';
      if (written.trim() !== '') profile[field] = parseField(field, label, written);
    }
  } finally {
    terminal?.close();
  }
  return profile as Partial<LegalProfile>;
}

function parseField(field: (typeof OPTIONS)[number][1], label: string, written: string): string {
  const { shape } = updateLegalProfile.body.shape.update_info;
  const parsed = shape[field].safeParse(written);
  if (parsed.success) return parsed.data ?? '';
  throw new UsageError(`法定表示の${label}: ${parsed.error.issues[0]?.message ?? ''}。`);
}
