import './app/app.css';
import './app/layout.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startRouter, takesSession } from './app/router.tsx';
import { RouteError } from './app/routes/route-error.tsx';
import { Shell } from './app/shell/shell.tsx';
import { Toasts } from './components/state/toasts.tsx';
import { RouterView } from './lib/router/router-view.tsx';
import { followAppearance } from './lib/screen/appearance.ts';
import { ignoreComposedKeys } from './lib/screen/keys.ts';
import { useSession } from './lib/session/session-store.ts';
import { openTabs } from './lib/session/tab-channel.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

followAppearance();
ignoreComposedKeys();
const client = createRoot(root);

/** The longest wait of a tab that shows nothing yet, in ms. */
const MAX_WAIT_MS = 200;

/** How long a tab waits, in ms, before it joins the others unasked: the part would delay the first screen's files. */
const JOIN_MS = 5000;

const join = openTabs();

/** Takes over the session of another tab, before the router looks for one. */
async function takeOver(): Promise<void> {
  // The part of the login loads meanwhile, so nobody waits for both.
  import('./app/routes/visitors/login.tsx').catch(() => undefined);
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, MAX_WAIT_MS));
  await Promise.race([join().then((tabs) => tabs?.takeEarly(timeout)), timeout]);
}

function show(): void {
  client.render(
    <StrictMode>
      <RouterView router={startRouter()} Frame={Shell} Fault={RouteError} />
      <Toasts />
    </StrictMode>,
  );
}

const isVisitor = useSession.getState().token === null;
if (isVisitor && takesSession(location.pathname)) void takeOver().then(show);
else {
  show();
  // A log-in asks the other tabs.
  setTimeout(() => void join(), isVisitor ? 0 : JOIN_MS);
}
