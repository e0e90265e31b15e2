// What the tables of limits and of series share: making elements, reading numbers and words,
// keys, and copying as Markdown.
const make = (tag, set = {}, ...inside) => {
  const node = Object.assign(document.createElement(tag), set);
  node.append(...inside);
  return node;
};

// What a unit multiplies a number by.
const unitScale = {ns: 1e-9, 'µs': 1e-6, ms: 1e-3, s: 1, k: 1e3, M: 1e6, 'k/s': 1e3, 'M/s': 1e6,
  'KiB/s': 2 ** 10, 'MiB/s': 2 ** 20, 'GiB/s': 2 ** 30, 'TiB/s': 2 ** 40};

// The number that a text begins with, in its unit's base; NaN where there is none.
const valueOf = text => {
  const found = text.trim().replace('−', '-').match(/^([+-]?[\d.]+|[+-]?∞) ?(\S*)/);
  return found ? parseFloat(found[1].replace('∞', 'Infinity')) * (unitScale[found[2]] || 1) : NaN;
};

// Texts, or numbers; what is missing comes last whichever way.
const ordered = (x, y, way) => typeof x === 'string' ? way * x.localeCompare(y, undefined, {numeric: true})
  : Number.isNaN(x) - Number.isNaN(y) || way * (x - y);

const wordsOf = search => search.value.toLowerCase().split(/\s+/).filter(Boolean);

// A text as a cell of a Markdown table.
const asMarkdown = text => text.replace(/\s+/g, ' ').trim().replace(/[\\|`*_<>@#\[\]]/g, '\\$&');

// The row so many further than the one with the focus; the first where none has it.
const rowFurther = (rows, step) => {
  const now = rows.indexOf(document.activeElement.closest('tr'));
  return rows[Math.max(0, Math.min(rows.length - 1, now < 0 ? 0 : now + step))];
};

// Keys of a table: / filters, Escape ends that, j and k walk, c copies.
const listenToKeys = (search, filter, walk, copy) => addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
    if (event.key === 'Escape') { search.value = ''; filter(); event.target.blur(); }
    return;
  }
  const act = {'/': () => search.focus(), j: () => walk(1), k: () => walk(-1), c: () => copy.click()}[event.key];
  if (act) { event.preventDefault(); act(); }
});

// Where a page from disk may not write to the clipboard, a selection does.
const copyText = async (button, text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make('textarea', {value: text});
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy as Markdown'; }, 1500);
};
