import { type Finding, finding } from './health.ts';

/**
 * Judges whether mail programs offer to refuse by one click (RFC 8058).
 * @param signs whether we sign the domain's mails
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
