import { type Finding, finding } from './domain-health.ts';

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

/**
 * Judges whether mail programs offer to refuse by one click (RFC 8058).
 * @param signs whether we sign the domain's mails
 */
export function oneClickFinding(hasPublicUrl: boolean, signs: boolean): Finding {
  if (!hasPublicUrl) {
    return finding('one_click', 'look', '配信停止のリンクがhttpsではないため、ワンクリック停止が使えません。', {
      remedy: '社外から開けるhttpsのアドレス（PUBLIC_URL）を設定するよう、管理者に依頼してください。',
    });
  }
  if (!signs) {
    return finding('one_click', 'look', 'ワンクリック停止のヘッダーにDKIMの署名が付くかを確かめられません。', {
      remedy: 'List-Unsubscribe と List-Unsubscribe-Post の両方に署名が付くと、Gmailなどに停止のボタンが出ます。',
    });
  }
  return finding('one_click', 'good', 'ワンクリック停止のヘッダーを付け、DKIMで署名しています。');
}
