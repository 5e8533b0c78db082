// Loads the files of the list beside those of the entry, for whoever has a session: decision 0200.
{
  let token;
  try {
    token = JSON.parse(sessionStorage.getItem('kaitaku-session')).state.token;
  } catch {
    // No session, or no access to the storage: the login loads without the list.
  }
  if (token && location.pathname === '/') {
    for (const href of document.currentScript.dataset.files.split(' ')) {
      const link = document.createElement('link');
      link.rel = href.endsWith('.css') ? 'preload' : 'modulepreload';
      if (href.endsWith('.css')) link.as = 'style';
      link.crossOrigin = '';
      link.href = href;
      document.head.append(link);
    }
  }
}
