import { checkHandler } from './check/check-job.ts';
import { runHandler } from './run-job.ts';
import { undoHandler } from './undo/undo-job.ts';
import type { ImportParts } from './upload/upload-file.ts';

/** Returns the handlers of the jobs of imports. */
export const importHandlers = (parts: ImportParts) => ({
  import_check: checkHandler(parts),
  import_run: runHandler(parts),
  import_undo: undoHandler(parts),
});
