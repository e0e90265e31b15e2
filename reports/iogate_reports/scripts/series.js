// The table of series: filter by words, state, spec, host and metric; sort; keys. What is chosen
// stands in the address, so that a link shows the same.
(() => {
  const table = document.getElementById('series'), tools = document.getElementById('tools');
  if (!table) return;
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const column = name => heads.findIndex(h => h.textContent === name);
  const named = column('case and metric');
  const part = {
    state: row => row.cells[0].textContent,
    spec: column('spec') < 0 ? null : row => row.cells[column('spec')].textContent,
    host: column('host') < 0 ? null : row => row.cells[column('host')].textContent,
    metric: row => row.cells[named].querySelector('code').textContent,
  };
  const rows = [...body.rows].map((row, index) => ({row, index}));
  const search = make('input', {type: 'search', placeholder: 'Filter by case …', ariaLabel: 'Filter series'});
  const chosen = {}, MARK = '#show?', names = heads.map(h => h.textContent);
  let sorted = -1, way = 1;
  const selects = Object.entries(part).filter(([, read]) => read).map(([name, read]) => {
    const values = [...new Set(rows.map(r => read(r.row)))].sort();
    const select = make('select', {ariaLabel: name}, make('option', {value: '', textContent: `every ${name}`}),
      ...values.map(v => make('option', {textContent: v})));
    select.onchange = () => { chosen[name] = select.value; filter(); };
    return select;
  });
  const count = make('output');
  function filter() {
    const words = wordsOf(search);
    let shown = 0;
    for (const r of rows) {
      const text = words.length ? r.row.textContent.toLowerCase() : '';
      const visible = words.every(w => text.includes(w)) &&
        Object.entries(chosen).every(([name, v]) => !v || part[name](r.row) === v);
      r.row.hidden = !visible;
      shown += visible;
    }
    count.textContent = shown === rows.length ? '' : `${shown} of ${rows.length}`;
    remember();
  }
  function remember() {
    const said = new URLSearchParams(Object.entries({q: search.value, ...chosen}).filter(([, v]) => v));
    if (sorted >= 0) said.set('sort', `${way < 0 ? '-' : ''}${names[sorted]}`);
    if (`${said}` || location.hash.startsWith(MARK)) history.replaceState(null, '', `${MARK}${said}`);
  }
  search.oninput = filter;
  const clean = cell => asMarkdown(cell.textContent);
  const copy = make('button', {type: 'button', textContent: 'Copy as Markdown'});
  copy.onclick = () => {
    const line = cells => `| ${cells.slice(0, -1).map(clean).join(' | ')} |`;
    const text = [line(heads), line(heads).replace(/[^|]+/g, '---'),
      ...[...body.rows].filter(r => !r.hidden).map(r => line([...r.cells]))].join('\n') + '\n';
    copyText(copy, text);
  };
  tools.append(search, ...selects, copy, count, make('span', {className: 'keys', textContent: 'keys: / filter · j k rows · Enter opens · c copies'}));
  tools.hidden = false;
  const worded = new Set(['spec', 'case and metric', 'host'].map(column));
  const key = (r, i) => {
    const text = r.row.cells[i].textContent;
    return i === 0 ? r.index : worded.has(i) ? text : valueOf(text);
  };
  const sort = (i, to) => {
    way = to;
    sorted = i;
    const order = (a, b) => ordered(key(a, i), key(b, i), way) || a.index - b.index;
    body.append(...[...rows].sort(order).map(r => r.row));
    heads.forEach((h, n) => n === i ? h.ariaSort = way > 0 ? 'ascending' : 'descending' : h.removeAttribute('aria-sort'));
    remember();
  };
  heads.slice(0, -1).forEach((th, i) => {
    const button = make('button', {type: 'button', className: 'sort'}, ...th.childNodes);
    button.onclick = () => sort(i, sorted === i ? -way : 1);
    th.append(button);
  });
  if (location.hash.startsWith(MARK)) {
    const said = new URLSearchParams(location.hash.slice(MARK.length));
    search.value = said.get('q') || '';
    for (const select of selects) {
      select.value = chosen[select.ariaLabel] = said.get(select.ariaLabel) || '';
      if (!select.value) select.value = chosen[select.ariaLabel] = '';
    }
    const by = said.get('sort') || '', at = names.indexOf(by.replace(/^-/, ''));
    if (at >= 0) sort(at, by.startsWith('-') ? -1 : 1);
    filter();
  }
  const walk = step => {
    const next = rowFurther([...body.rows].filter(r => !r.hidden), step);
    if (next) { next.querySelector('a').focus(); next.scrollIntoView({block: 'nearest'}); }
  };
  listenToKeys(search, filter, walk, copy);
})();
