import { unreachable } from './api-client.ts';
import { toast } from './toast.ts';
import { COMMON_MESSAGES } from './words.ts';

/** A part of the client whose files could not be fetched. */
export class PartNotLoaded extends Error {
  /** The server has a newer version, and the files of this one no more. */
  readonly isReplaced: boolean;

  constructor(isReplaced: boolean, cause: unknown) {
    super('PartNotLoaded', { cause });
    this.isReplaced = isReplaced;
  }
}

/** Loads a part of the client that is fetched late. @throws PartNotLoaded */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new PartNotLoaded(await isReplaced(), cause);
  }
}

/** The page as the server has it now; null where it cannot be reached. */
async function fetchPage(): Promise<string | null> {
  try {
    const response = await fetch('/index.html', { cache: 'no-store' });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

/** Every name under assets/ is made of its content and of the names it imports, so the entry's changes with any of them. */
async function isReplaced(): Promise<boolean> {
  const entry = document.querySelector<HTMLScriptElement>('script[type="module"][src]');
  const page = await fetchPage();
  return entry !== null && page !== null && !page.includes(new URL(entry.src).pathname);
}

/** Reloads the page unless the server cannot be reached: the browser's error page would take its place. */
export async function reloadPage(): Promise<void> {
  if ((await fetchPage()) === null) toast('warning', unreachable('GET').message);
  else location.reload();
}

/** What to say about an error that keeps a part from being shown. */
export function partFault(error: unknown): { readonly title: string; readonly help: string } {
  const { newVersion, newVersionHelp, screenTitle, screenHelp, screenUnreachable } = COMMON_MESSAGES.errors;
  if (!(error instanceof PartNotLoaded)) return { title: screenTitle, help: screenHelp };
  return error.isReplaced
    ? { title: newVersion, help: newVersionHelp }
    : { title: screenTitle, help: screenUnreachable };
}
