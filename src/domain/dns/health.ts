/** The findings about the DNS of a sender's domain (decisions/domain-health), and their summary for a screen. */

export const DOMAIN_CHECKS = ['mx', 'spf', 'dkim', 'dmarc', 'alignment', 'one_click'] as const;
export type DomainCheck = (typeof DOMAIN_CHECKS)[number];

/**
 * good: correct. look: works, or cannot be checked from here, so a person should check once. bad: mails are refused or
 * treated as spam. unknown: the DNS did not answer.
 */
export const CHECK_LEVELS = ['good', 'look', 'bad', 'unknown'] as const;
type CheckLevel = (typeof CHECK_LEVELS)[number];

/** A record to set in the DNS. */
export interface DnsRecord {
  readonly type: 'TXT';
  readonly name: string;
  /** A single string unquoted, or several in quotes (txtRecord). */
  readonly value: string;
}

/** The result of one check of a domain. */
export interface Finding<Check extends string = DomainCheck> {
  readonly check: Check;
  readonly level: CheckLevel;
  /** Japanese, for the user: what was found. */
  readonly message: string;
  /** Japanese: what to do. '': nothing. */
  readonly remedy: string;
  /** Japanese: the server settings that the remedy needs, shown behind a mark. Absent: none. */
  readonly setting?: string;
  /** The values that the DNS returned, shortened. */
  readonly found: readonly string[];
  /** null: none can be proposed. */
  readonly record: DnsRecord | null;
}

export const DOMAIN_STATES = ['unchecked', 'good', 'bad', 'unknown'] as const;
type DomainState = (typeof DOMAIN_STATES)[number];

/** Sums up the checks of a domain. `look` is no fault, so with it the domain stays good. */
export function domainState(findings: readonly Pick<Finding, 'level'>[]): DomainState {
  if (findings.length === 0) return 'unchecked';
  for (const state of ['bad', 'unknown'] as const) {
    if (findings.some(({ level }) => level === state)) return state;
  }
  return 'good';
}

const MAX_FOUND = 10;

interface FindingParts {
  readonly remedy?: string;
  readonly setting?: string;
  readonly found?: readonly string[];
  readonly record?: DnsRecord | null;
}

/** Makes a finding. DNS values are foreign: they are shortened, and unprintable characters removed. */
export const finding = <Check extends string>(
  check: Check,
  level: CheckLevel,
  message: string,
  { remedy = '', setting, found = [], record = null }: FindingParts = {},
): Finding<Check> => ({
  check,
  level,
  message,
  remedy,
  ...(setting !== undefined && { setting }),
  found: found.slice(0, MAX_FOUND).map(shown),
  record,
});

const MAX_FOUND_LENGTH = 500;

const shown = (value: string): string => {
  const text = value.replace(/[^\x20-\x7e]/g, '?');
  return text.length > MAX_FOUND_LENGTH ? `${text.slice(0, MAX_FOUND_LENGTH)}…` : text;
};

/** The most characters of one string of a TXT record (RFC 1035, 3.3.14). */
const STRING_LENGTH_MAX = 255;

/**
 * Makes a TXT record to set. A value too long for one string is split as in zone files: `"…" "…"`.
 * Receivers join the strings without a space.
 */
export function txtRecord(name: string, value: string): DnsRecord {
  if (value.length <= STRING_LENGTH_MAX) return { type: 'TXT', name, value };
  const strings = value.match(new RegExp(`.{1,${STRING_LENGTH_MAX}}`, 'gsu')) ?? [];
  return { type: 'TXT', name, value: strings.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(' ') };
}

/** Returns a record's tags (`v=DKIM1; p=…`) by name. Of a repeated name the first counts. */
export function tagsOf(text: string): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, at).trim().toLowerCase();
    if (at > 0 && !tags.has(name)) tags.set(name, part.slice(at + 1).trim());
  }
  return tags;
}

/** Judges whether a domain accepts mail. @param exchanges of its MX records; null: none */
export function mxFinding(domain: string, exchanges: readonly string[] | null, hasAddress: boolean): Finding {
  // RFC 7505: a single MX of "." states that the domain accepts no mail.
  const isNull = exchanges?.every((exchange) => exchange === '' || exchange === '.') ?? false;
  if (exchanges !== null && !isNull) {
    return finding('mx', 'good', 'メールを受け取るサーバーがあります。', { found: exchanges });
  }
  if (exchanges === null && hasAddress) {
    return finding('mx', 'good', 'メールを受け取るサーバーがあります（MXレコードがないため、ドメインのアドレス）。');
  }
  const message = `${domain}にメールを受け取るサーバーがありません。返信も苦情も届きません。`;
  const remedy =
    'メールを受け取るサーバーのMXレコードをDNSに追加するか、受け取れるドメインのアドレスを差出人にしてください。';
  return finding('mx', 'bad', message, { remedy, found: isNull ? ['MX 0 .'] : [] });
}

/**
 * Judges whether mail programs offer one-click unsubscribing (RFC 8058).
 * @param signs whether the domain's mails are signed here
 */
export function oneClickFinding(hasPublicUrl: boolean, signs: boolean): Finding {
  if (!hasPublicUrl) {
    return finding('one_click', 'look', '配信停止のリンクがhttpsではないため、ワンクリック停止は使えません。', {
      remedy: 'このサーバーの設定が必要です。',
      setting: 'PUBLIC_URL に、社外から開けるhttpsのアドレスを設定します。',
    });
  }
  if (!signs) {
    return finding('one_click', 'look', 'ワンクリック停止のヘッダーにDKIMの署名が付くかを確かめられません。', {
      remedy: 'List-Unsubscribe と List-Unsubscribe-Post の両方に署名が付くと、Gmailなどに停止のボタンが出ます。',
    });
  }
  return finding('one_click', 'good', 'ワンクリック停止のヘッダーを付け、DKIMで署名しています。');
}
