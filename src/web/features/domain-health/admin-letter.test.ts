import { expect, it } from 'vitest';
import { dkimFinding, unsignedFinding } from '#domain/dns/dkim.ts';
import { dmarcFinding } from '#domain/dns/dmarc.ts';
import { type Finding, mxFinding, oneClickFinding } from '#domain/dns/health.ts';
import { adminLetter, mendsOf } from './admin-letter.ts';

const at = (findings: readonly Finding[]) =>
  findings.map((one) => ({ ...one, found: [...one.found], checked_at: '2026/11/29 12:00:00' }));

it('the letter to the administrator says what to set record by record, the faults first', () => {
  const mends = mendsOf(
    at([
      mxFinding('example.jp', ['mx.example.jp'], false),
      unsignedFinding('example.jp', null),
      dmarcFinding('example.jp', [], null),
      oneClickFinding(false, false),
    ]),
  );
  expect([mends.faults.map(({ check }) => check), mends.doubts.map(({ check }) => check)]).toStrictEqual([
    ['dmarc'],
    ['dkim'],
  ]);
  expect(adminLetter('example.jp', mends)).toBe(
    `メールの差出人に使っているドメイン example.jp の設定について、確認をお願いします。

次のところを直すと、メールが届きやすくなります。

1. DMARC
DMARCレコードがありません。Gmail・Outlook.com・ドコモで、迷惑メール扱いや警告の原因になります。
次のTXTレコードをDNSに追加してください。rua のアドレスは、報告を受け取れるものに変えられます。
種類：TXT
名前：_dmarc.example.jp
値：v=DMARC1; p=none; rua=mailto:postmaster@example.jp

次のところは、こちらでは確かめられないか、直すとさらに確実になります。

2. DKIM
DKIMの署名が付くかを確かめられません。
DKIMの署名は、送信サーバーの設定を確かめてください。送信サーバーが署名しない場合は、Kaitakuのサーバーの設定が必要です。
`,
  );
});

it('says how a long value is entered, and calls our server by its name', () => {
  const key = { domain: 'example.jp', selector: 'k1', base64: 'MIIBIjANBgkq'.repeat(30), bits: 2048 };
  const letter = adminLetter('example.jp', mendsOf(at([dkimFinding(key, ['v=DKIM1; p=other'])])));
  expect(letter).toContain('DKIMの公開鍵が、Kaitakuのサーバーの秘密鍵と一致しません。');
  expect(letter).toMatch(/\n値："v=DKIM1; k=rsa; p=.*"\n長い値なので、/);
  expect(letter).not.toContain('このサーバー');
});

it('has nothing of a domain whose checks are good or were not answered', () => {
  const unknown = { ...mxFinding('example.jp', null, false), level: 'unknown' as const };
  expect(mendsOf(at([mxFinding('example.jp', ['mx.example.jp'], false), unknown]))).toStrictEqual({
    faults: [],
    doubts: [],
  });
});
