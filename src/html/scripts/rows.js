// In lists, `j` and `k` move the focus to the next and the previous row.
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || (event.key !== 'j' && event.key !== 'k')) return;
  if (event.target?.closest?.('input, textarea, select, [contenteditable]')) return;
  const rows = [...document.querySelectorAll('.rows .title')].filter((row) => row.matches('a') && row.checkVisibility());
  const at = rows.indexOf(document.activeElement);
  rows[event.key === 'j' ? at + 1 : Math.max(0, at - 1)]?.focus();
});
