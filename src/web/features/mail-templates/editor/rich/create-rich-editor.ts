import { type ChainedCommands, Editor, type JSONContent } from '@tiptap/core';
import { type OnReduced, pasteRules } from './paste.ts';
import { type Block, contentOf, type RichDocument } from './rich-document.ts';
import { extensionsOf, type LabelOf } from './rich-schema.ts';

/** The active formats at the cursor. */
export interface RichState {
  readonly bold: boolean;
  readonly bulletList: boolean;
  readonly orderedList: boolean;
  /** The link at the cursor, or null. */
  readonly href: string | null;
  readonly hasSelection: boolean;
}

export const NO_STATE: RichState = {
  bold: false,
  bulletList: false,
  orderedList: false,
  href: null,
  hasSelection: false,
};

export type RichCommand = 'bold' | 'bulletList' | 'orderedList';

export interface RichEditor {
  /** Replaces the whole content. */
  setDocument(document: RichDocument): void;
  setFault(noteId: string | null): void;
  toggle(command: RichCommand): void;
  /** Links the selection, the link at the cursor, or new words. @param href null removes the link */
  setLink(href: string | null, words: string): void;
  /** Replaces the selection, and focuses the editor. A single paragraph joins the one at the cursor. */
  insert(blocks: readonly Block[]): void;
  focus(): void;
  destroy(): void;
}

interface Options {
  readonly host: HTMLElement;
  readonly label: string;
  readonly datesLabel: string;
  readonly labelOf: LabelOf;
  readonly document: RichDocument;
  readonly onChange: (document: RichDocument) => void;
  readonly onState: (state: RichState) => void;
  readonly onFocus: () => void;
  readonly onReduced: OnReduced;
}

/** Creates a TipTap editor in an element. It adds no style element, because the page's policy would refuse one. */
export function createRichEditor(options: Options): RichEditor {
  const { host, label, document, onChange, onState, onFocus, onReduced } = options;
  const attributes = (noteId: string | null): Record<string, string> => ({
    role: 'textbox',
    'aria-multiline': 'true',
    'aria-label': label,
    lang: 'ja',
    ...(noteId !== null && { 'aria-invalid': 'true', 'aria-describedby': noteId }),
  });
  const rules = pasteRules(onReduced);
  const editor = new Editor({
    element: host,
    injectCSS: false,
    extensions: extensionsOf(options.labelOf, options.datesLabel),
    content: document as unknown as JSONContent,
    editorProps: { ...rules, attributes: attributes(null) },
    onUpdate: () => onChange(editor.getJSON() as unknown as RichDocument),
    onTransaction: () => onState(stateOf(editor)),
    onFocus,
  });

  /** Focuses at once. TipTap's own command waits one frame, in which the cursor is at the start of the text. */
  function focusedChain(): ChainedCommands {
    editor.view.focus();
    return editor.chain();
  }

  return {
    setDocument: (next) => void editor.commands.setContent(next as unknown as JSONContent, { emitUpdate: false }),
    setFault: (noteId) => editor.setOptions({ editorProps: { ...rules, attributes: attributes(noteId) } }),
    toggle(command) {
      const chain = focusedChain();
      if (command === 'bold') chain.toggleBold().run();
      else if (command === 'bulletList') chain.toggleBulletList().run();
      else chain.toggleOrderedList().run();
    },
    setLink(href, words) {
      const chain = focusedChain();
      // Restore the previous selection: otherwise the next key would replace the whole link.
      const { from, to } = editor.state.selection;
      const before = { from, to };
      if (href === null) chain.extendMarkRange('link').unsetMark('link').setTextSelection(before).run();
      else if (editor.isActive('link'))
        chain.extendMarkRange('link').setMark('link', { href }).setTextSelection(before).run();
      else if (!editor.state.selection.empty) chain.setMark('link', { href }).run();
      else
        chain
          .insertContent({ type: 'text', text: words, marks: [{ type: 'link', attrs: { href } }] })
          .unsetMark('link')
          .run();
    },
    insert(blocks) {
      const [first, ...others] = blocks;
      const isInline = first?.type === 'paragraph' && others.length === 0;
      focusedChain()
        .insertContent(isInline ? contentOf(first) : blocks)
        .scrollIntoView()
        .run();
    },
    focus: () => void focusedChain().scrollIntoView().run(),
    destroy: () => editor.destroy(),
  };
}

const stateOf = (editor: Editor): RichState => ({
  bold: editor.isActive('bold'),
  bulletList: editor.isActive('bulletList'),
  orderedList: editor.isActive('orderedList'),
  href: editor.isActive('link') ? String(editor.getAttributes('link').href) : null,
  hasSelection: !editor.state.selection.empty,
});
