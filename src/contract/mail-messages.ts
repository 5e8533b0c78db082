import type { MailAddressFault } from '#domain/mail/address.ts';

/** The user's messages for faults of a mail address, typed or imported. */
export const MAIL_MESSAGES: Readonly<Record<MailAddressFault, string>> = {
  blank: 'メールアドレスが空です。',
  too_long: 'メールアドレスが長すぎます。',
  control_character: 'メールアドレスに使えない文字（制御文字など）が含まれています。',
  space: 'メールアドレスに空白が含まれています。',
  list: 'メールアドレスの形が正しくありません。',
  group: 'グループ形式のメールアドレスには対応していません。',
  comment: 'メールアドレスにかっこが含まれています。',
  quoted: 'メールアドレスに引用符（"）が含まれています。',
  display_name: '名前を付けず、メールアドレスだけを書いてください。',
  address_literal: 'IPアドレスのメールアドレスには対応していません。',
  no_at: 'メールアドレスに@がありません。',
  local_part: 'メールアドレスの@より前に使えない文字があります。',
  non_ascii_local_part: 'メールアドレスの@より前は半角英数字と記号で書いてください。',
  idn: '日本語ドメインは「xn--」で始まる形（Punycode）で書いてください。',
  domain: 'メールアドレスの@より後が正しくありません。',
};
