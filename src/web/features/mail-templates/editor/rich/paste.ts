import { closeHistory } from '@tiptap/pm/history';
import { Fragment, type Schema, Slice } from '@tiptap/pm/model';
import { TextSelection } from '@tiptap/pm/state';
import type { EditorProps, EditorView } from '@tiptap/pm/view';
import { CELL_GAP, type ReadHtml, readHtml } from './read-html.ts';
import { readText } from './read-text.ts';
import type { RichDocument } from './rich-document.ts';

/** Matches copies from a ProseMirror editor, whose own parser keeps more than readHtml. */
const OWN_COPY = /\sdata-pm-slice=/;

/** Receives the losses of a paste. */
export type OnReduced = (reduced: Pick<ReadHtml, 'images' | 'tables'>) => void;

/**
 * Converts what is pasted or dropped (pages, mails, Word) to text, links, lists and merge fields. Pictures are left
 * out, and tables become lines.
 */
export const pasteRules = (onReduced: OnReduced): EditorProps => ({
  // Replaces the tabs between a spreadsheet's cells, which a mail would not show.
  clipboardTextParser: (text, _context, _plain, view) =>
    sliceOf(readText(text.replace(/\t/g, CELL_GAP)), view.state.schema),
  // Runs before the editor parses it all, pictures and scripts included.
  handleDOMEvents: {
    paste: (view, event) => taken(event, take(view, event.clipboardData, onReduced)),
    drop: (view, event) => {
      // The editor itself moves content that is dragged within it.
      const place = view.posAtCoords({ left: event.clientX, top: event.clientY });
      if (view.dragging !== null || place === null) return false;
      const { tr } = view.state;
      view.dispatch(tr.setSelection(TextSelection.near(tr.doc.resolve(place.pos))));
      return taken(event, take(view, event.dataTransfer, onReduced));
    },
  },
});

/** Cancels the browser's default action if the event was handled. */
function taken(event: Event, isTaken: boolean): boolean {
  if (isTaken) event.preventDefault();
  return isTaken;
}

/** Pastes the data. @returns false: the editor pastes them itself */
function take(view: EditorView, data: DataTransfer | null, onReduced: OnReduced): boolean {
  const html = data?.getData('text/html') ?? '';
  if (html === '') return takeFiles(data, onReduced);
  if (OWN_COPY.test(html)) return false;
  const { document, ...reduced } = readHtml(html, data?.getData('text/plain'));
  onReduced(reduced);
  const { tr } = view.state;
  tr.replaceSelection(sliceOf(document, view.state.schema)).scrollIntoView().setMeta('uiEvent', 'paste');
  // One undo removes only the paste.
  view.dispatch(closeHistory(tr));
  return true;
}

/** Counts pasted pictures, which are left out. */
function takeFiles(data: DataTransfer | null, onReduced: OnReduced): boolean {
  const pictures = [...(data?.files ?? [])].length;
  onReduced({ images: pictures, tables: 0 });
  return pictures > 0;
}

/** Opens the paragraphs at both ends, so that they join those at the cursor. Lists stay lists. */
function sliceOf({ content }: RichDocument, schema: Schema): Slice {
  const open = (place: number) => (content.at(place)?.type === 'paragraph' ? 1 : 0);
  return new Slice(Fragment.fromJSON(schema, content as unknown as object[]), open(0), open(-1));
}
