// Lines of code: `#L3` and `#L3-L7` mark lines, a click on a number sets them, and with Shift extends them to a range.
const range = () => {
  const [, first, last] = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash) ?? [];
  if (!first) return undefined;
  const ends = [Number(first), Number(last ?? first)];
  return [Math.min(...ends), Math.max(...ends)];
};

const showRange = (scrolls) => {
  for (const line of document.querySelectorAll('.line.marked')) line.classList.remove('marked');
  const [first, last] = range() ?? [];
  const code = document.querySelector('[data-lines]');
  if (!first || !code) return;
  const start = document.getElementById(`L${first}`);
  const { lines, from } = code.dataset;
  if (!start) {
    // Another page of the file has the line. A page that was asked for by its line is never left.
    const wanted = new URL(location.href);
    if (first > Number(lines) || wanted.searchParams.get('line') === String(first) || !from) return;
    wanted.searchParams.set('line', first);
    location.replace(wanted);
    return;
  }
  let line = start;
  for (let number = first; line && number <= last; number++) {
    line.classList.add('marked');
    line = document.getElementById(`L${number + 1}`);
  }
  if (scrolls) start.scrollIntoView({ block: 'center' });
};

document.addEventListener('click', (event) => {
  const number = event.target.closest('.line > a[data-n]')?.dataset.n;
  if (number) {
    event.preventDefault();
    const [first] = (event.shiftKey && range()) || [];
    const ends = [Number(number), first ?? Number(number)].toSorted((one, other) => one - other);
    history.replaceState(null, '', ends[0] === ends[1] ? `#L${ends[0]}` : `#L${ends[0]}-L${ends[1]}`);
    showRange(false);
    return;
  }
  // The permanent link keeps the marked lines.
  const link = event.target.closest('a[data-keeps-lines]');
  if (link && range()) link.hash = location.hash;
});
window.addEventListener('hashchange', () => showRange(true));
showRange(true);
