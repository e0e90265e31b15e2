// The table of limits: filter, sort, walk with the keyboard, copy as Markdown. The page is whole
// without it; everything that only works with it is made by it.
(() => {
  const table = document.getElementById('limits'), tools = document.getElementById('tools');
  const open = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const details = target && target.closest('details');
    if (details) { details.open = true; target.scrollIntoView(); }
  };
  addEventListener('hashchange', open);
  open();
  if (!table) return;
  const body = table.tBodies[0];
  const groups = [];
  for (const row of body.rows) {
    if (row.classList.contains('why')) groups.at(-1).rows.push(row);
    else groups.push({rows: [row], row, verdict: row.cells[0].textContent,
      metric: row.cells[1].querySelector('code').textContent,
      text: row.textContent.toLowerCase(), index: groups.length});
  }
  const verdicts = [...new Set(groups.map(g => g.verdict))], hidden = new Set();
  const search = make('input', {type: 'search', placeholder: 'Filter by case, limit …', ariaLabel: 'Filter limits'});
  const metric = make('select', {ariaLabel: 'Metric'}, make('option', {value: '', textContent: 'every metric'}),
    ...[...new Set(groups.map(g => g.metric))].sort().map(m => make('option', {textContent: m})));
  const count = make('output');
  const copy = make('button', {type: 'button', textContent: 'Copy as Markdown'});
  const filter = () => {
    const words = wordsOf(search);
    let shown = 0;
    for (const g of groups) {
      const visible = !hidden.has(g.verdict) && (!metric.value || metric.value === g.metric) &&
        words.every(w => g.text.includes(w));
      shown += visible;
      for (const row of g.rows) row.hidden = !visible;
    }
    count.textContent = shown === groups.length ? '' : `${shown} of ${groups.length}`;
  };
  const chips = verdicts.map(v => {
    const chip = make('button', {type: 'button', className: 'chip', textContent: v, ariaPressed: 'true'});
    chip.onclick = () => {
      hidden.has(v) ? hidden.delete(v) : hidden.add(v);
      chip.ariaPressed = String(!hidden.has(v));
      filter();
    };
    return chip;
  });
  search.oninput = metric.onchange = filter;
  const keys = make('span', {className: 'keys', textContent: 'keys: / filter · j k rows · Enter opens the case · c copy'});
  tools.append(search, metric, ...(verdicts.length > 1 ? chips : []), copy, count, keys);
  tools.hidden = false;

  const numeric = new Set([3, 4, 5, 6]);
  let sorted = null, way = 1;
  const sort = column => {
    way = sorted === column ? -way : 1;
    sorted = column;
    const at = column === 6 ? 5 : column;
    const key = g => column === 0 ? g.index : numeric.has(column) ? valueOf(g.row.cells[at].textContent) : g.row.cells[at].textContent;
    const order = (a, b) => ordered(key(a), key(b), way) || a.index - b.index;
    body.append(...[...groups].sort(order).flatMap(g => g.rows));
    [...table.tHead.rows[0].cells].forEach((th, i) => {
      if (i === column) th.ariaSort = way > 0 ? 'ascending' : 'descending'; else th.removeAttribute('aria-sort');
    });
  };
  [...table.tHead.rows[0].cells].forEach((th, i) => {
    if (i === 6 || i > 7) return; // pictures
    const button = make('button', {type: 'button', className: 'sort'}, ...th.childNodes);
    button.onclick = () => sort(i);
    th.append(button);
  });

  const clean = cell => asMarkdown(cell.innerText);
  const markdown = () => {
    const at = [0, 1, 2, 3, 4, 5, 7];
    const line = cells => `| ${cells.join(' | ')} |`;
    const rows = [...body.rows].filter(r => !r.hidden && !r.classList.contains('why'));
    return [document.querySelector('.kicker').innerText + ': ' + document.getElementById('headline').innerText, '',
      line(at.map(i => clean(table.tHead.rows[0].cells[i]))), line(at.map(() => '---')),
      ...rows.map(r => line(at.map(i => clean(r.cells[i]))))].join('\n') + '\n';
  };
  copy.onclick = () => copyText(copy, markdown());

  const walk = step => {
    const rows = [...body.rows].filter(r => !r.hidden && r.id);
    const next = rowFurther(rows, step);
    if (!next) return;
    (next.querySelector('a') || next).focus();
    next.scrollIntoView({block: 'nearest'});
    history.replaceState(null, '', '#' + next.id);
  };
  listenToKeys(search, filter, walk, copy);
})();
