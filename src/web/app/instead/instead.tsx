import { lazy } from 'react';
import { Button } from '#web/components/button.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { loadPart, reloadPage } from '#web/lib/screen/load-part.ts';
import { CardPage } from '../shell/card-page.tsx';
import { INSTEAD_MESSAGES } from './words.ts';

const SecondStepFirst = lazy(() => loadPart(() => import('./second-step-first.tsx')));

/** Shown in place of every screen while nearly every call gets the same code. Drafts stay in the session. */
const Instead = ({ of }: { readonly of: string }) =>
  of === 'two_factor_setup' ? (
    <PartBoundary>
      <SecondStepFirst />
    </PartBoundary>
  ) : (
    <Refused of={of === 'account_frozen' ? 'moving' : 'network'} />
  );

export default Instead;

const Refused = ({ of }: { readonly of: 'moving' | 'network' }) => (
  <div role="alert">
    <CardPage title={INSTEAD_MESSAGES[of].title} drawing={of === 'moving' ? 'sends' : 'failed'}>
      <p>{INSTEAD_MESSAGES[of].help}</p>
      <Button variant="primary" onClick={() => void reloadPage()}>
        {INSTEAD_MESSAGES.again}
      </Button>
    </CardPage>
  </div>
);
