import { ButtonLink } from '#web/components/button-link.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { APP_MESSAGES } from '../words.ts';
import { CardPage } from './card-page.tsx';

export const NotFound = () => (
  <CardPage title={APP_MESSAGES.notFound.title} drawing="no-match">
    <p>{APP_MESSAGES.notFound.help}</p>
    <ButtonLink variant="primary" to={PATHS.attackList}>
      {APP_MESSAGES.notFound.home}
    </ButtonLink>
  </CardPage>
);
