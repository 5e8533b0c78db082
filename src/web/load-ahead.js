// Loads the files of the first screen beside those of the entry: the login's without a session, else the list's, and
// sends the calls that this address's list made last (lib/api/calls-ahead.ts): decisions/web-client.
{
  let session = {};
  try {
    session = JSON.parse(sessionStorage.getItem('kaitaku-session')).state;
  } catch {
    // There is no session, or no access to the storage: the login opens.
  }
  const { token, list_calls: calls } = session;
  const { pathname, search } = location;
  const { list, login } = document.currentScript.dataset;
  const files = pathname === '/' && token ? list : ['/', '/login'].includes(pathname) && !token ? login : '';
  for (const href of files.split(' ').filter(Boolean)) {
    const link = document.createElement('link');
    link.rel = href.endsWith('.css') ? 'preload' : 'modulepreload';
    if (href.endsWith('.css')) link.as = 'style';
    link.crossOrigin = '';
    link.href = href;
    document.head.append(link);
  }
  if (files === list && calls?.search === search) {
    const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` };
    const ask = (path) => fetch(`/api/v1${path}`, { headers }).catch(() => null);
    window.answersAhead = { token, answers: Object.fromEntries(calls.paths.map((path) => [path, ask(path)])) };
  }
}
