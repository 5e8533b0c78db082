import { type Finding, finding, txtRecord } from './health.ts';

/** The policy that receivers apply to a domain. */
export interface DmarcPolicy {
  /** Where the record is: the domain itself, or one above. */
  readonly domain: string;
  /** What receivers do with other mails of the domain; null: no valid policy. */
  readonly policy: string | null;
  /** The tag that says so (`sp=none`), as it is shown. */
  readonly tag: string;
  readonly hasReports: boolean;
  readonly text: string;
}

/**
 * Judges the DMARC record of a domain.
 * @param own the TXT records at _dmarc.DOMAIN that look like DMARC's
 * @param applied the record that receivers apply; null: none
 */
export function dmarcFinding(domain: string, own: readonly string[], applied: DmarcPolicy | null): Finding {
  const record = txtRecord(`_dmarc.${domain}`, `v=DMARC1; p=none; rua=mailto:postmaster@${domain}`);
  const parts = { remedy: DMARC_REMEDY, found: own, record };
  if (own.length > 1) {
    const remedy = 'DMARCレコードは1つだけにします。ほかを削除してください。';
    return finding('dmarc', 'bad', `DMARCレコードが${own.length}つあります。`, { found: own, remedy });
  }
  if (own.length === 0 && applied === null) return finding('dmarc', 'bad', DMARC_MISSING, parts);
  // A record that receivers cannot read makes them look at the domain above.
  const isSkipped = own.length === 1 && applied?.domain !== domain;
  if (isSkipped || applied === null || applied.policy === null) {
    return finding('dmarc', 'bad', 'DMARCレコードに誤りがあります。', parts);
  }
  const found = [applied.text];
  const place = applied.domain === domain ? '' : `（${applied.domain}のレコード）`;
  if (applied.policy === 'none' && !applied.hasReports) {
    const remedy = '報告を受け取るアドレス（rua）を加えると、なりすましや設定の誤りに気づけます。';
    const value = `${applied.text.replace(/(?<![;\s])[;\s]+$/, '')}; rua=mailto:postmaster@${applied.domain}`;
    const withReports = txtRecord(`_dmarc.${applied.domain}`, value);
    const message = `DMARCレコード${place}は ${applied.tag} で、報告先（rua）がありません。`;
    return finding('dmarc', 'look', message, { remedy, found, record: withReports });
  }
  return finding('dmarc', 'good', `DMARCレコードは正しく設定されています${place}。`, { found });
}

const DMARC_MISSING = 'DMARCレコードがありません。Gmail・Outlook.com・ドコモで、迷惑メール扱いや警告の原因になります。';
const DMARC_REMEDY = '次のTXTレコードをDNSに追加してください。rua のアドレスは、報告を受け取れるものに変えられます。';
