import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** Uses the page's colours (app.css), whose variables are inherited into a shadow root. */
export const EDITOR_LOOK = EditorView.theme({
  '&': {
    height: '100%',
    backgroundColor: 'var(--k-surface)',
    color: 'var(--k-text)',
    fontSize: 'var(--k-control-font)',
  },
  '&.cm-focused': { outline: '2px solid var(--k-link)', outlineOffset: '-1px' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono CJK JP", monospace',
    lineHeight: '1.6',
  },
  '.cm-content': { caretColor: 'var(--k-text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--k-text)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'var(--k-head)', borderRight: '1px solid var(--k-line)', color: 'var(--k-dim)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'light-dark(#c5dcf3, #2c4a68)',
  },
  '.fault': { backgroundColor: 'light-dark(#ffe3e3, #4a2323)' },
});

const LIQUID = 'light-dark(#a61e4d, #faa2c1)';

export const EDITOR_COLORS = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--k-dim)' },
  { tag: [tags.tagName, tags.angleBracket], color: 'var(--k-link)' },
  { tag: tags.attributeName, color: 'light-dark(#5f3dc4, #b197fc)' },
  { tag: [tags.attributeValue, tags.string, tags.number, tags.bool], color: 'light-dark(#2b6a10, #8ce99a)' },
  { tag: [tags.brace, tags.variableName, tags.propertyName, tags.keyword, tags.operator], color: LIQUID },
]);
