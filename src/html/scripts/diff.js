// Shows closed files, unchanged lines and further lines of a diff within the page. Without this script, each is a page.
document.addEventListener('click', async (event) => {
  const link = event.target.closest('section.diff-file a[data-diff]');
  // Only the page's own links: what people write can't replace a part of it.
  if (
    !link ||
    link.closest('.prose') ||
    new URL(link.href).pathname !== location.pathname ||
    event.ctrlKey ||
    event.metaKey ||
    event.shiftKey ||
    event.button !== 0
  )
    return;
  event.preventDefault();
  const section = link.closest('section.diff-file');
  section.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(link.href, { headers: { accept: 'text/html' } });
    if (!response.ok) throw new Error(response.statusText);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const found = document.adoptNode(page.getElementById(section.id));
    if (link.dataset.diff === 'more') {
      const [first] = found.querySelectorAll('tbody > tr:not(.hunk)');
      link.closest('tr').replaceWith(...found.querySelectorAll('tbody > tr'));
      section.removeAttribute('aria-busy');
      first?.querySelector('a')?.focus();
    } else {
      section.replaceWith(found);
      found.tabIndex = -1;
      found.focus({ preventScroll: true });
    }
  } catch {
    location.assign(link.href);
  }
});
