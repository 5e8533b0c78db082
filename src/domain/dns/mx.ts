import { type Finding, finding } from './health.ts';

/** Judges whether a domain takes mail. @param exchanges of its MX records; null: it has none */
export function mxFinding(domain: string, exchanges: readonly string[] | null, hasAddress: boolean): Finding {
  // RFC 7505: a single MX of "." says that the domain takes no mail.
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
