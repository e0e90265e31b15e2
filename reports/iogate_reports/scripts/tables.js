// What the tables of limits and of series share: making elements, and copying as Markdown.
const make = (tag, set = {}, ...inside) => {
  const node = Object.assign(document.createElement(tag), set);
  node.append(...inside);
  return node;
};

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
