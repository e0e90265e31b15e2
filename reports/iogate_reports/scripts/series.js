// The table of series: filter by words, state, spec, host and metric; sort; keys.
(() => {
  const table = document.getElementById('series'), tools = document.getElementById('tools');
  if (!table) return;
  const make = (tag, set = {}, ...inside) => {
    const node = Object.assign(document.createElement(tag), set);
    node.append(...inside);
    return node;
  };
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const column = name => heads.findIndex(h => h.textContent === name);
  const named = column('case and metric');
  const part = {
    state: row => row.cells[0].textContent,
    spec: column('spec') < 0 ? null : row => row.cells[column('spec')].textContent,
    host: column('host') < 0 ? null : row => row.cells[column('host')].textContent,
    metric: row => row.cells[named].querySelector('code').textContent,
  };
  const rows = [...body.rows].map((row, index) => ({row, index, text: row.textContent.toLowerCase()}));
  const search = make('input', {type: 'search', placeholder: 'Filter by case …', ariaLabel: 'Filter series'});
  const chosen = {};
  const selects = Object.entries(part).filter(([, read]) => read).map(([name, read]) => {
    const values = [...new Set(rows.map(r => read(r.row)))].sort();
    const select = make('select', {ariaLabel: name}, make('option', {value: '', textContent: `every ${name}`}),
      ...values.map(v => make('option', {textContent: v})));
    select.onchange = () => { chosen[name] = select.value; filter(); };
    return select;
  });
  const count = make('output');
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const r of rows) {
      const visible = words.every(w => r.text.includes(w)) &&
        Object.entries(chosen).every(([name, v]) => !v || part[name](r.row) === v);
      r.row.hidden = !visible;
      shown += visible;
    }
    count.textContent = shown === rows.length ? '' : `${shown} of ${rows.length}`;
  }
  search.oninput = filter;
  tools.append(search, ...selects, count, make('span', {className: 'keys', textContent: 'keys: / filter · j k rows · Enter opens'}));
  tools.hidden = false;
  const scale = {ns: 1e-9, 'µs': 1e-6, ms: 1e-3, s: 1, k: 1e3, M: 1e6, 'k/s': 1e3, 'M/s': 1e6,
    'KiB/s': 2 ** 10, 'MiB/s': 2 ** 20, 'GiB/s': 2 ** 30, 'TiB/s': 2 ** 40};
  const key = (r, i) => {
    const text = r.row.cells[i].textContent.trim();
    if (i === 0) return r.index;
    if (text === '–') return Infinity;
    const found = text.replace('−', '-').match(/^([+-]?[\d.]+) ?(\S*)/);
    return found && i > named ? parseFloat(found[1]) * (scale[found[2]] || 1) : text;
  };
  let sorted = -1, way = 1;
  heads.slice(0, -1).forEach((th, i) => {
    const button = make('button', {type: 'button', className: 'sort'}, ...th.childNodes);
    button.onclick = () => {
      way = sorted === i ? -way : 1;
      sorted = i;
      const order = (a, b) => {
        const [x, y] = [key(a, i), key(b, i)];
        return way * (typeof x === 'string' ? x.localeCompare(y, undefined, {numeric: true}) : x - y) || a.index - b.index;
      };
      body.append(...[...rows].sort(order).map(r => r.row));
      heads.forEach((h, n) => n === i ? h.ariaSort = way > 0 ? 'ascending' : 'descending' : h.removeAttribute('aria-sort'));
    };
    th.append(button);
  });
  const walk = step => {
    const seen = [...body.rows].filter(r => !r.hidden);
    const now = seen.indexOf(document.activeElement.closest('tr'));
    const next = seen[Math.max(0, Math.min(seen.length - 1, now < 0 ? 0 : now + step))];
    if (next) { next.querySelector('a').focus(); next.scrollIntoView({block: 'nearest'}); }
  };
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|SELECT)$/.test(event.target.tagName)) {
      if (event.key === 'Escape') { search.value = ''; filter(); event.target.blur(); }
      return;
    }
    const act = {'/': () => search.focus(), j: () => walk(1), k: () => walk(-1)}[event.key];
    if (act) { event.preventDefault(); act(); }
  });
})();
