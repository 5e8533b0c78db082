import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { CardPage } from '../shell/card-page.tsx';
import { APP_MESSAGES } from '../words.ts';

export const NotFound = () => (
  <CardPage title={APP_MESSAGES.notFound.title} drawing="no-match">
    <p>{APP_MESSAGES.notFound.help}</p>
    <ButtonLink variant="primary" to={PATHS.attackList}>
      {APP_MESSAGES.notFound.home}
    </ButtonLink>
  </CardPage>
);
