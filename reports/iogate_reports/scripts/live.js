// A page that a server shows asks whether there is another one now, and becomes it.
(() => {
  const own = document.currentScript.dataset, kept = `iogate ${location.pathname}`;
  const state = document.getElementById('live-state');
  const folds = () => [...document.querySelectorAll('details')];
  const open = JSON.parse(sessionStorage.getItem(kept) || '[]');
  sessionStorage.removeItem(kept);
  if (open.length === folds().length) folds().forEach((one, i) => { one.open = open[i]; });
  let tag = own.tag, every = own.every * 1000;
  const busy = () => document.hidden || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName) ||
    String(getSelection());
  const become = text => {
    const page = new DOMParser().parseFromString(text, 'text/html');
    const now = page.querySelector('script[data-tag]').dataset;
    if (now.page !== own.page) {
      sessionStorage.setItem(kept, JSON.stringify(folds().map(one => one.open)));
      location.reload();
      return;
    }
    const next = page.getElementById('live-runs'), last = document.getElementById('live-runs');
    last.replaceWith(document.adoptNode(next));
    tag = now.tag;
    every = now.every * 1000;
  };
  const look = async () => {
    try {
      if (!busy()) {
        const headers = {'If-None-Match': `"${tag}"`};
        const answer = await fetch(location.pathname, {headers, cache: 'no-store'});
        state.textContent = answer.ok || answer.status === 304 ? '' : `The server says ${answer.status}: this page is an old one.`;
        if (answer.status === 200) become(await answer.text());
      }
    } catch {
      state.textContent = 'The server does not answer: this page is an old one.';
    }
    setTimeout(look, every);
  };
  setTimeout(look, every);
})();
