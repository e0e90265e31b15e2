// The still pictures of nights become charts that can be zoomed.
(async () => {
  if (!zoomable.able()) return;
  const {css, show} = zoomable, {page, column} = await zoomable.unpacked();
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
    one.data = broken(times, column(one.n).map(v => v * one.scale));
    if (one.band) {
      for (let i = 0; i < 2; i++) one.data.push(broken(times, column(one.n).map(v => v * one.scale))[1]);
    }
  }
  const mixed = name => `color-mix(in srgb, ${css(name)} 30%, transparent)`;
  const behind = one => u => {
    const c = u.ctx, {left, top, width, height} = u.bbox;
    const x = m => u.valToPos(m * 60, 'x', true), y = v => u.valToPos(v, 'y', true);
    c.save();
    c.beginPath();
    c.rect(left, top, width, height);
    c.clip();
    for (const [a, b, way] of one.moves) {
      c.globalAlpha = 0.35;
      c.fillStyle = css(way === 'worse' ? '--fail' : '--pass');
      c.fillRect(x(a), top, Math.max(x(b) - x(a), 3), height);
    }
    for (const [a, b, level, low, high] of one.levels) {
      c.globalAlpha = 0.07;
      c.fillStyle = css('--ink');
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
    c.font = `${11 * rem() * devicePixelRatio}px system-ui`;
    c.textAlign = 'left';
    one.markers.forEach((m, i) => {
      line([x(m), top], [x(m), top + height], '--soft', [4, 4]);
      c.fillText(i + 1, x(m) + 4 * devicePixelRatio, top + 12 * devicePixelRatio);
    });
    c.restore();
  };
  const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const months = Array.from({length: 12}, (_, m) => new Date(2000, m, 15).toLocaleString('en', {month: 'short'}));
  const days = (u, splits, axis, space, step) => {
    let before = '', last = 0;
    return splits.map(s => {
      const at = new Date(s * 1000), year = at.getUTCFullYear(), month = months[at.getUTCMonth()];
      const day = `${at.getUTCDate()} ${month}`, timed = step < 86400 && s % 86400;
      const text = timed ? at.toISOString().slice(11, 16) : step < 28 * 86400 ? day : month;
      const below = last === year ? '' : timed && !last ? `\n${day} ${year}` : `\n${year}`;
      const shown = text === before ? '' : text + below;
      [before, last] = [text, year];
      return shown;
    });
  };
  // One night alone would be given a thousand days.
  const span = (u, low, high) => {
    const times = u.data[0], first = times[0];
    return times[times.length - 1] > first ? [low, high] : [first - 86400, first + 86400];
  };
  const options = one => axis => {
    const written = {...axis, font: `${12 * rem()}px system-ui`};
    const low = Math.min(...one.ends, ...one.limits), high = Math.max(...one.ends, ...one.limits);
    const air = (high - low) * 0.08 || Math.abs(high) * 0.05 || 1;
    const value = (u, v) => show(v, one.unit);
    const end = label => ({label, width: 0, points: {show: false}, value});
    return {
      scales: {x: {range: span}, y: {range: () => [low - air, high + air]}},
      tzDate: s => uPlot.tzDate(new Date(s * 1000), 'Etc/UTC'),
      axes: [{...written, size: 50 * rem(), space: 64 * rem(), lineGap: 1.3, values: days},
        {...written, size: 74 * rem(), space: 32 * rem(), values: (u, splits) => splits.map(v => show(v, one.unit))}],
      series: [{value: (u, v) => v == null ? '–' : new Date(v * 1000).toISOString().slice(0, 16).replace('T', ' ')},
        {label: one.name, stroke: () => css('--c0'), width: 1.4, points: {show: one.n < 90}, value},
        ...one.band ? [end('from'), end('to')] : []],
      bands: one.band ? [{series: [3, 2], fill: () => mixed('--c0')}] : [],
      hooks: {drawAxes: [behind(one)]},
    };
  };
  zoomable.lazily(new Map(page.series.map(one => [document.getElementById(one.id), {
    name: one.name, group: 'nights', data: one.data, options: options(one),
    height: width => Math.max(200, Math.min(280 * rem(), width * 0.45)),
  }])));
})();
