// What charts that can be zoomed share: how their series are unpacked and written, and how
// a still picture is replaced once it is scrolled into view. Charts of one group zoom together.
const zoomable = (() => {
  const scales = {
    ns: [[1e9, ' s'], [1e6, ' ms'], [1e3, ' µs'], [1, ' ns']],
    'B/s': [[2 ** 40, ' TiB/s'], [2 ** 30, ' GiB/s'], [2 ** 20, ' MiB/s'], [2 ** 10, ' KiB/s'], [1, ' B/s']],
    '1/s': [[1e6, ' M/s'], [1e3, ' k/s'], [1, ' /s']],
    '%': [[1, ' %']], count: [[1e6, ' M'], [1e3, ' k'], [1, '']], ratio: [[1, '']],
  };
  const show = (value, unit, digits = 4) => {
    if (value == null) return '–';
    const known = scales[unit] || [[1, '']];
    const [by, suffix] = known.find(([s]) => Math.abs(value) >= s) || known.at(-1);
    return +(value / by).toPrecision(digits) + suffix;
  };
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  // The page's data, and what gives its next column of so many whole numbers.
  const unpacked = async () => {
    const page = JSON.parse(document.getElementById('payload').textContent);
    const raw = Uint8Array.from(atob(page.data), c => c.charCodeAt(0));
    const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let at = 0;
    const column = count => {
      const values = new Array(count);
      for (let i = 0, before = 0; i < count; i++) {
        let rest = 0, unit = 1, byte;
        do {
          byte = bytes[at++];
          rest += (byte & 127) * unit;
          unit *= 128;
        } while (byte > 127);
        before += rest % 2 ? -(rest + 1) / 2 : rest / 2;
        values[i] = before;
      }
      return values;
    };
    return {page, column};
  };
  const charts = [], ranges = new Map();
  const zoom = (group, min, max) => {
    ranges.set(group, min == null ? null : {min, max});
    for (const [c, own] of charts) if (own === group) c.setScale('x', ranges.get(group) || {min: c.data[0][0], max: c.data[0].at(-1)});
  };
  const brushed = group => u => {
    const {left, width} = u.select;
    if (width < 3) return;
    const [min, max] = [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')];
    u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
    zoom(group, min, max);
  };
  const keys = (place, chart, group) => event => {
    const {min, max} = chart.scales.x, span = max - min, move = d => zoom(group, min + d * span, max + d * span);
    const act = {ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), '0': () => zoom(group),
      '+': () => zoom(group, min + span * 0.2, max - span * 0.2), '-': () => zoom(group, min - span / 3, max + span / 3)}[event.key];
    if (act && !event.ctrlKey && !event.metaKey) { event.preventDefault(); act(); }
  };
  const draw = (figure, {name, group, data, options, height}) => {
    const still = figure.querySelector('svg.chart');
    const place = document.createElement('div');
    place.className = 'zoomed';
    place.tabIndex = 0;
    place.setAttribute('role', 'group');
    place.setAttribute('aria-label', `${name}: zoomable chart, arrows move, plus and minus zoom, 0 shows everything`);
    const width = still.clientWidth || 800;
    still.before(place);
    const axis = {stroke: () => css('--soft'), grid: {stroke: () => css('--grid'), width: 1}, ticks: {stroke: () => css('--grid')}};
    const found = options(axis);
    const chart = new uPlot({
      width, height: height(width),
      cursor: {
        sync: {key: group, scales: ['x', null], setSeries: false, filters: {pub: type => type === 'mousemove' || type === 'mouseleave'}},
        drag: {x: true, y: false, setScale: false},
      },
      ...found, hooks: {...found.hooks, setSelect: [brushed(group)]},
    }, data, place);
    still.style.display = 'none';
    charts.push([chart, group]);
    if (ranges.get(group)) chart.setScale('x', ranges.get(group));
    chart.over.addEventListener('dblclick', () => zoom(group));
    place.addEventListener('keydown', keys(place, chart, group));
    new ResizeObserver(() => {
      const now = place.clientWidth;
      if (now && Math.abs(now - chart.width) > 2) chart.setSize({width: now, height: chart.height});
    }).observe(place);
  };
  // nodes: Map of element → what draw takes. The element is the figure, or holds it.
  const lazily = nodes => {
    const seen = new IntersectionObserver(entries => {
      for (const {isIntersecting, target} of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        draw(target.matches('figure') ? target : target.querySelector('figure'), nodes.get(target));
      }
    }, {rootMargin: '200px'});
    for (const node of nodes.keys()) seen.observe(node);
    for (const node of document.querySelectorAll('.only-script')) node.hidden = false;
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach(([c]) => c.redraw()));
  const swap = still => () => document.querySelectorAll('.zoomed').forEach(node => {
    node.hidden = still;
    node.nextElementSibling.style.display = still ? '' : 'none';
  });
  addEventListener('beforeprint', swap(true));
  addEventListener('afterprint', swap(false));
  return {css, show, unpacked, lazily, able: () => self.uPlot && self.DecompressionStream};
})();
