import { type OptOutReason, UNDO_MINUTES, UNDOS_MAX } from '#domain/law/suppression.ts';
import { maskedAddress } from '#domain/mail/address.ts';
import { timeInSentence } from '#domain/time/shown-time.ts';
import { type Html, html } from '../../platform/http/html.ts';
import type { Shown } from './refuse.command.ts';

export const PAGE_PATH = '/u';
export const STYLE_PATH = `${PAGE_PATH}/page.css`;

/** Makes the page of a key. It needs no script, because mail programs may show it without one. */
export const optOutPage = (shown: Shown, key: string): string =>
  html`<!doctype html>
<html lang="ja">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${titleOf(shown)}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<main>
<img src="/icon.svg" alt="" width="40" height="40">
<h1>${titleOf(shown)}</h1>
${contentOf(shown, `${PAGE_PATH}/${key}`)}
</main>
</body>
</html>
`.markup;

/** The heading is the result, so that nobody needs to read on to know it. */
function titleOf({ kind }: Shown): string {
  switch (kind) {
    case 'done':
    case 'refused':
      return '配信を停止しました';
    case 'undone':
      return '配信停止を取り消しました';
    case 'too_late':
    case 'too_often':
      return '配信停止を取り消せませんでした';
    default:
      return '配信停止の手続き';
  }
}

function contentOf(shown: Shown, path: string): Html {
  switch (shown.kind) {
    case 'offer':
      return offer(shown, path);
    case 'done':
      return html`<p role="status"><b>配信停止を受け付けました。</b>今後、${nameOf(shown)}からのご案内はお送りしません。</p>
<p>すでに送信処理が始まっていた1通が行き違いで届くことがあります。</p>
${shown.canUndo ? undo(path) : null}`;
    case 'refused':
      return html`<p role="status">配信停止は${timeInSentence(shown.at, Date.now())}に受け付け済みです。</p>
${shown.canUndo ? undo(path) : null}`;
    case 'undone':
      return html`<p role="status">配信停止を取り消しました。${nameOf(shown)}からのご案内を、今後もお送りすることがあります。</p>
<p><a href="${path}">配信停止の手続きに戻る</a></p>`;
    case 'too_late':
      return html`<p role="status">配信停止は取り消せませんでした。取り消せるのは、このメールから停止したあとの${UNDO_MINUTES}分間だけです。</p>
<p>ご案内の再開をご希望の場合は、お手数ですが、メールに記載の連絡先へご連絡ください。</p>`;
    case 'too_often':
      return html`<p role="status">配信は停止したままです。取り消しは${UNDOS_MAX}回までです。再開をご希望の場合は、メールに記載の連絡先へご連絡ください。</p>`;
    case 'test':
      return html`<p>テスト送信のメールです。配信停止は登録されません。</p>`;
    case 'example':
      return html`<p>見本のリンクです。</p>`;
    case 'unknown':
      return html`<p>このリンクでは手続きできません。お手数ですが、メールに記載の連絡先へご連絡ください。</p>`;
    case 'unavailable':
      return html`<p>ただいま手続きできません。お手数ですが、しばらくしてからもう一度お試しください。</p>`;
  }
}

const REASONS: Readonly<Record<OptOutReason, string>> = {
  irrelevant: '関係がない',
  too_many: '回数が多い',
  unknown_sender: '覚えがない',
  other: 'その他',
};

const nameOf = ({ senderName }: { readonly senderName: string }): Html => html`<span class="name">${senderName}</span>`;

const offer = ({ address, domain, ...shown }: Extract<Shown, { kind: 'offer' }>, path: string): Html => html`
${
  address === null
    ? html`<p>${nameOf(shown)}からのご案内メールを停止します。</p>`
    : html`<p>${nameOf(shown)}から <b class="address">${maskedAddress(address)}</b> へのご案内メールを停止します。</p>`
}
<form method="post" action="${path}">
<input type="hidden" name="way" value="link">
${
  domain === null
    ? null
    : html`<p><label><input type="checkbox" name="scope" value="domain"><span>@${domain} のすべてのアドレスで停止する</span></label>
<small>@から後ろが同じアドレスだけです。サブドメインのアドレスは、停止の対象になりません。</small></p>`
}
<fieldset>
<legend>停止の理由（任意）</legend>
${Object.entries(REASONS).map(
  ([value, words]) => html`<label><input type="radio" name="reason" value="${value}"><span>${words}</span></label>
`,
)}</fieldset>
<button>配信を停止する</button>
</form>`;

const undo = (path: string): Html => html`<form method="post" action="${path}/undo">
<p>誤って押した場合は、${UNDO_MINUTES}分以内なら取り消せます。</p>
<button class="quiet">配信停止を取り消す</button>
</form>`;
