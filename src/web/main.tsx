import './app/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { startRouter } from './app/router.tsx';
import { Toasts } from './components/toasts.tsx';
import { followAppearance } from './lib/appearance.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

followAppearance();
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={startRouter()} />
    <Toasts />
  </StrictMode>,
);
