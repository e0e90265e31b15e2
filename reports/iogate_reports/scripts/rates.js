// The still pictures of rates over time become charts that can be zoomed, all of a case at once.
(async () => {
  if (!zoomable.able() || !document.getElementById('payload')) return;
  const {css, show} = zoomable, {page, column} = await zoomable.unpacked();
  const colour = style => {
    const [, letter, number] = style.match(/^([rs])(\d)/) || [];
    return css(letter ? `--${letter === 'r' ? 'r' : 'c'}${number}` : '--base');
  };
  const read = one => {
    const before = one.ramp ? [-one.ramp] : [];
    const times = [...before, ...column(one.n).map(ms => ms / 1000)];
    return [times, ...one.lines.map(([, , n]) => {
      const values = times.map(() => null), places = n < one.n ? column(n) : null;
      column(n).forEach((v, i) => { values[before.length + (places ? places[i] : i)] = v * one.scale; });
      return values;
    }), ...one.level == null ? [] : [times.map(() => one.level)]];
  };
  const ramp = u => {
    const c = u.ctx, {left, top, height} = u.bbox, end = u.valToPos(0, 'x', true);
    if (end <= left) return;
    c.save();
    c.fillStyle = css('--grid');
    c.fillRect(left, top, Math.min(end - left, u.bbox.width), height);
    c.restore();
  };
  const options = one => axis => {
    const value = (u, v) => show(v, one.unit);
    return {
      scales: {x: {time: false}, y: {range: (u, low, high) => [0, Math.max(high, one.level || 0) * 1.08 || 1]}},
      axes: [{...axis, values: (u, splits) => splits.map(v => +v.toFixed(3) + ' s')},
        {...axis, size: 66, values: (u, splits) => splits.map(v => show(v, one.unit))},
        ...one.each ? [{...axis, side: 1, size: 84, grid: {show: false}, values: (u, splits) => splits.map(v => show(v * one.each, 'B/s', 3))}] : []],
      series: [{label: 'at', value: (u, v) => v == null ? '–' : +v.toFixed(3) + ' s'},
        ...one.lines.map(([label, style]) => ({label, stroke: () => colour(style), width: style === 'base' ? 1 : 1.6,
          dash: style === 'base' ? [4, 3] : [], spanGaps: true, points: {show: false}, value})),
        ...one.level == null ? [] : [{label: one.middle, stroke: () => css('--base'), width: 1.7, dash: [7, 4], points: {show: false}, value}]],
      hooks: one.ramp ? {drawAxes: [ramp]} : {},
    };
  };
  zoomable.lazily(new Map(page.series.map(one => [document.getElementById(one.id), {
    name: one.name, group: one.group, data: read(one), options: options(one),
    height: width => Math.max(180, Math.min(320, width * 0.6)),
  }])));
})();
