import { closeHistory } from '@tiptap/pm/history';
import { Fragment, type Schema, Slice } from '@tiptap/pm/model';
import { TextSelection } from '@tiptap/pm/state';
import type { EditorProps, EditorView } from '@tiptap/pm/view';
import { CELL_GAP, type ReadHtml, readHtml } from './read-html.ts';
import { readText } from './read-text.ts';
import type { RichDocument } from './rich-document.ts';

/** Marks what an editor of this kind has copied: its parser knows more of it than ours. */
const OWN_COPY = /\sdata-pm-slice=/;

/** Gets what was pasted in another form than it had. */
export type OnReduced = (reduced: Pick<ReadHtml, 'images' | 'tables'>) => void;

/**
 * What is pasted or dropped becomes text, links, lists and merge fields, whatever it was: pages, mails, Word.
 * Pictures are left out, and tables become lines.
 */
export const pasteRules = (onReduced: OnReduced): EditorProps => ({
  // Cells of a spreadsheet arrive with tabs between them, which a mail would not show.
  clipboardTextParser: (text, _context, _plain, view) =>
    sliceOf(readText(text.replace(/\t/g, CELL_GAP)), view.state.schema),
  // Before the editor has parsed it all, pictures and scripts included.
  handleDOMEvents: {
    paste: (view, event) => taken(event, take(view, event.clipboardData, onReduced)),
    drop: (view, event) => {
      // What is dragged within the editor is moved by it.
      const place = view.posAtCoords({ left: event.clientX, top: event.clientY });
      if (view.dragging !== null || place === null) return false;
      const { tr } = view.state;
      view.dispatch(tr.setSelection(TextSelection.near(tr.doc.resolve(place.pos))));
      return taken(event, take(view, event.dataTransfer, onReduced));
    },
  },
});

/** Keeps an event from the browser if it was handled. */
function taken(event: Event, isTaken: boolean): boolean {
  if (isTaken) event.preventDefault();
  return isTaken;
}

/** @returns false: the editor itself pastes it */
function take(view: EditorView, data: DataTransfer | null, onReduced: OnReduced): boolean {
  const html = data?.getData('text/html') ?? '';
  if (html === '') return takeFiles(data, onReduced);
  if (OWN_COPY.test(html)) return false;
  const { document, ...reduced } = readHtml(html, data?.getData('text/plain'));
  onReduced(reduced);
  const { tr } = view.state;
  tr.replaceSelection(sliceOf(document, view.state.schema)).scrollIntoView().setMeta('uiEvent', 'paste');
  // One step back takes the paste alone.
  view.dispatch(closeHistory(tr));
  return true;
}

/** Only counts them: pictures are left out. */
function takeFiles(data: DataTransfer | null, onReduced: OnReduced): boolean {
  const pictures = [...(data?.files ?? [])].length;
  onReduced({ images: pictures, tables: 0 });
  return pictures > 0;
}

/** Paragraphs at the ends are open: they join those around the cursor. Lists stay lists. */
function sliceOf({ content }: RichDocument, schema: Schema): Slice {
  const open = (place: number) => (content.at(place)?.type === 'paragraph' ? 1 : 0);
  return new Slice(Fragment.fromJSON(schema, content as unknown as object[]), open(0), open(-1));
}
