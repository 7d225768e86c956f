// Keyboard shortcuts: an element with `data-shortcut` is focused or followed by these keys, outside of fields.
const isField = (element) => element?.closest('input, textarea, select, [contenteditable]') !== null;
let before = '';
let beforeAt = 0;

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
  const isSequence = event.timeStamp - beforeAt < 1_000;
  const keys = isSequence && before !== '' ? [`${before} ${event.key}`, event.key] : [event.key];
  [before, beforeAt] = [event.key, event.timeStamp];
  for (const wanted of keys) {
    const target = document.querySelector(`[data-shortcut="${CSS.escape(wanted)}"]`);
    if (!target) continue;
    event.preventDefault();
    if (target instanceof HTMLInputElement) target.select();
    else target.click();
    before = '';
    return;
  }
});
