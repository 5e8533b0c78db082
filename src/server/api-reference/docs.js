// Adds a search over the calls and a copy button for each example. Without this script the page is complete.

const COPIED_MS = 2000;

/** Folds full-width and half-width forms, capitals and small letters. */
const normalized = (text) => text.normalize('NFKC').toLowerCase();

function addSearch() {
  const form = document.querySelector('.search');
  const input = form.querySelector('input');
  const status = form.querySelector('[role=status]');
  const calls = [...document.querySelectorAll('article.call')].map((article) => ({
    article,
    entry: document.querySelector(`nav a[href="#${article.id}"]`).closest('li'),
    text: normalized(article.textContent),
  }));
  const groups = [...document.querySelectorAll('section.group')];

  const search = () => {
    const terms = normalized(input.value).split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { article, entry, text } of calls) {
      const isFound = terms.every((term) => text.includes(term));
      article.hidden = !isFound;
      entry.hidden = !isFound;
      if (isFound) count += 1;
    }
    for (const group of groups) {
      const isEmpty = terms.length > 0 && group.querySelector('article.call:not([hidden])') === null;
      group.hidden = isEmpty;
      document.querySelector(`nav a[href="#${group.id}"]`).closest('li').hidden = isEmpty;
    }
    status.textContent = terms.length === 0 ? '' : count === 0 ? '見つかりませんでした' : `${count}件`;
  };
  input.addEventListener('input', search);
  // Shows the call that a link leads to, also where the search has hidden it.
  window.addEventListener('hashchange', () => {
    if (!document.getElementById(location.hash.slice(1))?.closest('[hidden]')) return;
    input.value = '';
    search();
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  });
  form.hidden = false;
}

/** Browsers allow the clipboard API on https and localhost only; elsewhere the old command copies the selection. */
async function copy(code) {
  if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent);
  getSelection().selectAllChildren(code);
  if (!document.execCommand('copy')) throw new Error('not copied');
}

function addCopyButton(pre) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  const caption = pre.parentElement.querySelector('figcaption');
  const say = (text) => {
    button.textContent = text;
  };
  say('コピー');
  button.addEventListener('click', () => {
    copy(pre.querySelector('code'))
      .then(
        () => say('コピーしました'),
        () => say('コピーできませんでした'),
      )
      .finally(() => setTimeout(() => say('コピー'), COPIED_MS));
  });
  button.setAttribute('aria-live', 'polite');
  if (caption) caption.append(button);
  else pre.before(button);
}

addSearch();
for (const pre of document.querySelectorAll('pre')) addCopyButton(pre);
