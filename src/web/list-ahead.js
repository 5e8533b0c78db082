// Loads the list's files beside those of the entry if there is a session, and sends the calls that this address's list
// made last (lib/calls-ahead.ts): decisions/web-client.
{
  let session = {};
  try {
    session = JSON.parse(sessionStorage.getItem('kaitaku-session')).state;
  } catch {
    // There is no session, or no access to the storage: the login loads without the list.
  }
  const { token, list_calls: calls } = session;
  if (token && location.pathname === '/') {
    for (const href of document.currentScript.dataset.files.split(' ')) {
      const link = document.createElement('link');
      link.rel = href.endsWith('.css') ? 'preload' : 'modulepreload';
      if (href.endsWith('.css')) link.as = 'style';
      link.crossOrigin = '';
      link.href = href;
      document.head.append(link);
    }
    if (calls?.search === location.search) {
      const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` };
      const ask = (path) => fetch(`/api/v1${path}`, { headers }).catch(() => null);
      window.answersAhead = { token, answers: Object.fromEntries(calls.paths.map((path) => [path, ask(path)])) };
    }
  }
}
