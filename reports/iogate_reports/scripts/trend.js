// Still pictures of series become charts that can be zoomed, once they are scrolled into view.
(async () => {
  if (!self.uPlot || !self.DecompressionStream) return;
  const page = JSON.parse(document.getElementById('payload').textContent);
  const bytes = await (async () => {
    const raw = Uint8Array.from(atob(page.data), c => c.charCodeAt(0));
    const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  })();
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
  // A gap for missing nights, as in the still picture.
  const broken = (times, values) => {
    const steps = times.slice(1).map((t, i) => t - times[i]).sort((a, b) => a - b);
    const usual = steps[steps.length >> 1] || 0, found = [[], []];
    times.forEach((t, i) => {
      if (i && t - times[i - 1] > usual * 1.7 + 60) {
        found[0].push((times[i - 1] + 1) * 60);
        found[1].push(null);
      }
      found[0].push(t * 60);
      found[1].push(values[i]);
    });
    return found;
  };
  let times;
  for (const one of page.series) {
    if (one.own) times = column(one.n);
    const values = column(one.n).map(v => v * one.scale);
    one.data = broken(times, values);
  }
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
  const charts = [];
  let range = null;
  const zoom = (min, max) => {
    range = min == null ? null : {min, max};
    for (const c of charts) c.setScale('x', range || {min: c.data[0][0], max: c.data[0].at(-1)});
  };
  const brushed = u => {
    const {left, width} = u.select;
    if (width < 3) return;
    const [min, max] = [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')];
    u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
    zoom(min, max);
  };
  const behind = one => u => {
    const c = u.ctx, {left, top, width, height} = u.bbox;
    const x = m => u.valToPos(m * 60, 'x', true), y = v => u.valToPos(v, 'y', true);
    c.save();
    c.beginPath();
    c.rect(left, top, width, height);
    c.clip();
    for (const [a, b, way] of one.moves) {
      c.globalAlpha = 0.22;
      c.fillStyle = css(way === 'worse' ? '--fail' : '--pass');
      c.fillRect(x(a), top, Math.max(x(b) - x(a), 3), height);
    }
    for (const [a, b, level, low, high] of one.levels) {
      c.globalAlpha = 0.13;
      c.fillStyle = css('--c0');
      c.fillRect(x(a), y(high), Math.max(x(b) - x(a), 1), y(low) - y(high));
      c.globalAlpha = 1;
      c.fillStyle = css('--ink');
      c.fillRect(x(a), y(level) - 1, Math.max(x(b) - x(a), 1), 2);
    }
    c.lineWidth = devicePixelRatio;
    const line = (from, to, colour, dash) => {
      c.beginPath();
      c.strokeStyle = css(colour);
      c.setLineDash(dash);
      c.moveTo(...from);
      c.lineTo(...to);
      c.stroke();
    };
    for (const v of one.limits) line([left, y(v)], [left + width, y(v)], '--fail', [3, 4]);
    c.fillStyle = css('--soft');
    c.font = `${11 * devicePixelRatio}px system-ui`;
    one.markers.forEach((m, i) => {
      line([x(m), top], [x(m), top + height], '--soft', [4, 4]);
      c.fillText(i + 1, x(m) + 4, top + 12 * devicePixelRatio);
    });
    c.restore();
  };
  const draw = (one, figure) => {
    const still = figure.querySelector('svg.chart');
    const place = document.createElement('div');
    place.className = 'zoomed';
    place.tabIndex = 0;
    place.setAttribute('role', 'group');
    place.setAttribute('aria-label', `${one.name}: zoomable chart, arrows move, plus and minus zoom, 0 shows everything`);
    const width = still.clientWidth || 800;
    still.before(place);
    const axis = {stroke: () => css('--soft'), grid: {stroke: () => css('--grid'), width: 1}, ticks: {stroke: () => css('--grid')}};
    const shown = one.data[1].filter(v => v != null).concat(one.limits);
    const low = Math.min(...shown), high = Math.max(...shown), air = (high - low) * 0.08 || Math.abs(high) * 0.05 || 1;
    const chart = new uPlot({
      width, height: Math.max(200, Math.min(280, width * 0.45)),
      cursor: {
        sync: {key: 'nights', scales: ['x', null], setSeries: false, filters: {pub: type => type === 'mousemove' || type === 'mouseleave'}},
        drag: {x: true, y: false, setScale: false},
      },
      scales: {y: {range: () => [low - air, high + air]}},
      axes: [axis, {...axis, size: 74, values: (u, splits) => splits.map(v => show(v, one.unit))}],
      series: [{value: (u, v) => v == null ? '–' : new Date(v * 1000).toISOString().slice(0, 16).replace('T', ' ')},
        {label: one.name, stroke: () => css('--c0'), width: 1.4, points: {show: one.n < 90}, value: (u, v) => show(v, one.unit)}],
      hooks: {drawAxes: [behind(one)], setSelect: [brushed]},
    }, one.data, place);
    still.style.display = 'none';
    charts.push(chart);
    if (range) chart.setScale('x', range);
    chart.over.addEventListener('dblclick', () => zoom());
    place.addEventListener('keydown', event => {
      const {min, max} = chart.scales.x, span = max - min, move = d => zoom(min + d * span, max + d * span);
      const act = {ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), '0': () => zoom(),
        '+': () => zoom(min + span * 0.2, max - span * 0.2), '-': () => zoom(min - span / 3, max + span / 3)}[event.key];
      if (act && !event.ctrlKey && !event.metaKey) { event.preventDefault(); act(); }
    });
    new ResizeObserver(() => {
      const now = place.clientWidth;
      if (now && Math.abs(now - chart.width) > 2) chart.setSize({width: now, height: chart.height});
    }).observe(place);
  };
  const byNode = new Map(page.series.map(one => [document.getElementById(one.id), one]));
  const seen = new IntersectionObserver(entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      draw(byNode.get(entry.target), entry.target.querySelector('figure'));
    }
  }, {rootMargin: '200px'});
  for (const node of byNode.keys()) seen.observe(node);
  for (const node of document.querySelectorAll('.only-script')) node.hidden = false;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach(c => c.redraw()));
  addEventListener('beforeprint', () => {
    document.querySelectorAll('.zoomed').forEach(node => { node.hidden = true; });
    document.querySelectorAll('.nights-list svg.chart').forEach(node => { node.style.display = ''; });
  });
  addEventListener('afterprint', () => {
    document.querySelectorAll('.zoomed').forEach(node => { node.hidden = false; node.nextElementSibling.style.display = 'none'; });
  });
})();
