import { type Html, html } from '../platform/http/html.ts';

/**
 * Renders the Markdown of descriptions: paragraphs, `- ` lists, `## ` headings, fenced code and `code`. Anything else
 * is plain text.
 * @param heading the tag of headings, by their place on the page
 */
export function markdown(text: string, heading: 'h3' | 'h5' = 'h5'): Html {
  // Odd parts are code between two fences.
  const parts = text.split(/^```\n?/m);
  const rendered = parts.map((part, index) =>
    index % 2 === 1 ? html`<pre><code>${part}</code></pre>` : prose(part, heading),
  );
  return html`${rendered}`;
}

/** Renders a one-line text, in which only `code` is markup. */
export const inline = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;

function prose(text: string, heading: 'h3' | 'h5'): Html {
  const blocks = text.split(/\n{2,}/).map((block) => block.trim());
  return html`${blocks.filter((block) => block !== '').map((block) => blockOf(block, heading))}`;
}

function blockOf(block: string, heading: 'h3' | 'h5'): Html {
  if (block.startsWith('## ')) {
    const title = inline(block.slice(3));
    return heading === 'h3' ? html`<h3>${title}</h3>` : html`<h5>${title}</h5>`;
  }
  if (!block.startsWith('- ')) return html`<p>${inline(block)}</p>`;
  const items = block.slice(2).split(/\n- /);
  return html`<ul>${items.map((item) => html`<li>${inline(item)}</li>`)}</ul>`;
}
