import './app/app.css';
import './app/layout.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startRouter } from './app/router.tsx';
import { RouteError } from './app/routes/route-error.tsx';
import { Shell } from './app/shell/shell.tsx';
import { Toasts } from './components/state/toasts.tsx';
import { RouterView } from './lib/router/router-view.tsx';
import { followAppearance } from './lib/screen/appearance.ts';
import { ignoreComposedKeys } from './lib/screen/keys.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

followAppearance();
ignoreComposedKeys();
createRoot(root).render(
  <StrictMode>
    <RouterView router={startRouter()} Frame={Shell} Fault={RouteError} />
    <Toasts />
  </StrictMode>,
);
