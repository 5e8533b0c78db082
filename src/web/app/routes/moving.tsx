import { Button } from '#web/components/button.tsx';
import { reloadPage } from '#web/lib/screen/load-part.ts';
import { CardPage } from '../shell/card-page.tsx';
import { APP_MESSAGES } from '../words.ts';

/** Shown in place of every screen while the account's data are being moved. Drafts stay in the session. */
const Moving = () => (
  <div role="alert">
    <CardPage title={APP_MESSAGES.moving.title} drawing="sends">
      <p>{APP_MESSAGES.moving.help}</p>
      <Button variant="primary" onClick={() => void reloadPage()}>
        {APP_MESSAGES.moving.again}
      </Button>
    </CardPage>
  </div>
);

export default Moving;
