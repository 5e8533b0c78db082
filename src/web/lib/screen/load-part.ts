import { unreachable } from '../api/call.ts';
import { COMMON_MESSAGES } from '../words.ts';
import { toast } from './toast.ts';

/** Reports that the files of a part of the client could not be loaded. */
export class PartNotLoaded extends Error {
  /** The server has a newer version without these files. */
  readonly isReplaced: boolean;

  constructor(isReplaced: boolean, cause: unknown) {
    super('PartNotLoaded', { cause });
    this.isReplaced = isReplaced;
  }
}

/** Loads a lazy part of the client. @throws PartNotLoaded */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new PartNotLoaded(await isReplaced(), cause);
  }
}

/** Fetches the server's current page; null if it cannot be reached. */
async function fetchPage(): Promise<string | null> {
  try {
    const response = await fetch('/index.html', { cache: 'no-store' });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

/** Whether the server has a newer version: the entry's file name changes with the content of any file. */
async function isReplaced(): Promise<boolean> {
  const entry = document.querySelector<HTMLScriptElement>('script[type="module"][src]');
  const page = await fetchPage();
  return entry !== null && page !== null && !page.includes(new URL(entry.src).pathname);
}

/** Reloads the page, unless the server cannot be reached and the browser would show its error page. */
export async function reloadPage(): Promise<void> {
  if ((await fetchPage()) === null) toast('warning', unreachable('GET').message);
  else location.reload();
}

/** Returns the texts for an error in place of a part that could not be shown. */
export function partFault(error: unknown): { readonly title: string; readonly help: string } {
  const { newVersion, newVersionHelp, screenTitle, screenHelp, screenUnreachable } = COMMON_MESSAGES.errors;
  if (!(error instanceof PartNotLoaded)) return { title: screenTitle, help: screenHelp };
  return error.isReplaced
    ? { title: newVersion, help: newVersionHelp }
    : { title: screenTitle, help: screenUnreachable };
}
