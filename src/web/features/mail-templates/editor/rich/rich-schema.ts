import { Mark, mergeAttributes, Node, nodeInputRule, wrappingInputRule } from '@tiptap/core';
import { Bold } from '@tiptap/extension-bold';
import { Document } from '@tiptap/extension-document';
import { HardBreak } from '@tiptap/extension-hard-break';
import { BulletList, ListItem, ListKeymap, OrderedList } from '@tiptap/extension-list';
import { Paragraph } from '@tiptap/extension-paragraph';
import { Text } from '@tiptap/extension-text';
import { UndoRedo } from '@tiptap/extensions';
import { isLiquid, usableLink } from './rich-document.ts';

/** Returns the label of a chip. */
export type LabelOf = (source: string) => string;

/** Returns the editor's nodes and marks for rich-document.ts. */
export const extensionsOf = (labelOf: LabelOf, datesLabel: string) => [
  Document,
  Paragraph,
  Text,
  Bold,
  HardBreak,
  BulletList,
  NumberedList,
  ListItem,
  ListKeymap,
  UndoRedo,
  Link,
  liquidNode(labelOf),
  datesNode(datesLabel),
];

/** Counts from 1, as the written mail does. A typed or pasted list with other numbers stays text. */
const NumberedList = OrderedList.extend({
  addAttributes: () => ({}),
  addInputRules() {
    return [wrappingInputRule({ find: /^1\.\s$/, type: this.type, joinPredicate: () => false })];
  },
  addProseMirrorPlugins: () => [],
});

const Link = Mark.create({
  name: 'link',
  // Text typed at the end of a link does not become part of the link.
  inclusive: false,
  addAttributes: () => ({ href: { default: null } }),
  parseHTML: () => [
    { tag: 'a[href]', getAttrs: (element) => (usableLink(element.getAttribute('href') ?? '') === null ? false : null) },
  ],
  // A click sets the cursor and does not follow the link.
  renderHTML: ({ HTMLAttributes }) => ['a', mergeAttributes(HTMLAttributes, { rel: 'noreferrer' }), 0],
});

const TYPED_LIQUID = /(?:\{\{[^{}]*\}\}|\{%[^{}]*%\})$/;

/** Makes the node of a merge field or tag: a chip that the keys treat as one character. */
const liquidNode = (labelOf: LabelOf) =>
  Node.create({
    name: 'liquid',
    group: 'inline',
    inline: true,
    atom: true,
    selectable: true,
    addAttributes: () => ({
      source: {
        default: '',
        parseHTML: (element) => element.getAttribute('data-liquid'),
        renderHTML: ({ source }) => ({ 'data-liquid': source }),
      },
    }),
    parseHTML: () => [
      {
        tag: 'span[data-liquid]',
        getAttrs: (element) => (isLiquid(element.getAttribute('data-liquid') ?? '') ? null : false),
      },
    ],
    renderHTML: ({ node, HTMLAttributes }) => ['span', HTMLAttributes, labelOf(String(node.attrs.source))],
    renderText: ({ node }) => String(node.attrs.source),
    // A typed field or tag becomes a chip at once.
    addInputRules() {
      return [nodeInputRule({ find: TYPED_LIQUID, type: this.type, getAttributes: ([source]) => ({ source }) })];
    },
  });

/** Makes the node of blocks that only a mail with candidate dates shows: a box with a label. */
const datesNode = (label: string) =>
  Node.create({
    name: 'dates',
    group: 'block',
    content: 'block+',
    defining: true,
    parseHTML: () => [{ tag: 'div[data-dates]' }],
    renderHTML: () => ['div', { 'data-dates': label }, 0],
  });
