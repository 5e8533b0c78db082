import { Button } from '#web/components/button.tsx';
import { partFault, reloadPage } from '#web/lib/screen/load-part.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { CardPage } from '../shell/card-page.tsx';

/** Shown in place of a screen that failed: because of a bug, a lost connection, or a new version. */
export function RouteError({ error }: { readonly error: unknown }) {
  const { title, help } = partFault(error);
  return (
    <div role="alert">
      <CardPage title={title} drawing="failed">
        <p>{help}</p>
        <Button variant="primary" onClick={() => void reloadPage()}>
          {COMMON_MESSAGES.actions.retry}
        </Button>
      </CardPage>
    </div>
  );
}
