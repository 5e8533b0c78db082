interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): { createHTML(html: string): unknown };
}

const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes };
/** The Trusted Types policy of HTML that is only read: without a window nothing runs and nothing loads. */
const policy = trustedTypes?.createPolicy('template-html', { createHTML: (html) => html });

/**
 * Parses HTML without showing it. The element is an `html`, so that `body` keeps its attributes.
 * The element is in no document tree, so that its styles are not applied. The browser would still report a violation of
 * the page's policy for each style sheet and each event handler: they are taken out before.
 */
export function parseHtml(html: string): ParentNode {
  const root = document.implementation.createHTMLDocument('').createElement('html');
  const quiet = html
    .replace(STYLE_SHEET, '<style></style>')
    .replace(TAG, (tag) => tag.replace(HANDLER, ' data-handler='));
  root.innerHTML = (policy?.createHTML(quiet) ?? quiet) as string;
  return root;
}

const STYLE_SHEET = /<style\b[^>]*>[\s\S]*?<\/style>/gi;
const TAG = /<[a-z][^>]*>/gi;
const HANDLER = /\son\w+\s*=/gi;
