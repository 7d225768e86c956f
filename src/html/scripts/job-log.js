// The log of a job: further lines, lines of steps that are opened, a filter, and links to lines.
const parse = async (address) => {
  const reply = await fetch(address, { headers: { accept: 'text/html' } });
  return reply.ok ? new DOMParser().parseFromString(await reply.text(), 'text/html') : undefined;
};

/** Lines that are kept of a log that goes on. */
const mostLines = 10_000;

class JobLog extends HTMLElement {
  connectedCallback() {
    this.addEventListener('toggle', (event) => this.load(event.target), true);
    this.addEventListener('input', (event) => event.target.matches('[data-filter]') && this.filter(event.target.value));
    addEventListener('hashchange', () => this.show());
    this.show();
  }

  /** The page with the lines after those that are shown. */
  nextAddress() {
    return `${location.pathname}?from=${this.dataset.next}`;
  }

  /** Appends the lines of a page. @returns whether there are more */
  append(fresh) {
    const log = fresh.querySelector('job-log');
    if (!log) return false;
    const atEnd = innerHeight + scrollY > document.documentElement.scrollHeight - 80;
    for (const step of log.querySelectorAll('details[data-step]')) {
      const old = document.getElementById(step.id);
      if (!old) this.querySelector('.steps').append(step);
      else {
        old.querySelector('summary').replaceWith(step.querySelector('summary'));
        if (step.open && !old.dataset.seen) {
          old.open = true;
          old.dataset.seen = '1';
        }
        const list = old.querySelector('ol');
        for (const line of step.querySelectorAll(':scope > ol > li[id]'))
          if (!document.getElementById(line.id)) list.append(line);
      }
    }
    const lines = this.querySelectorAll('li[id^="L"]');
    for (let at = 0; at < lines.length - mostLines; at++) lines[at].remove();
    const grew = Number(log.dataset.next) > Number(this.dataset.next);
    this.dataset.next = log.dataset.next;
    if (grew && atEnd) scrollTo(0, document.documentElement.scrollHeight);
    return grew && Number(log.dataset.next) < Number(log.dataset.rows);
  }

  /** Loads the lines of a step that is opened for the first time. */
  async load(step) {
    const link = step.open && step.querySelector(':scope > ol > li[data-more] > a');
    if (!link) return;
    const item = link.parentElement;
    const fresh = await parse(link.href);
    const lines = fresh?.getElementById(step.id)?.querySelector('ol');
    if (lines) item.replaceWith(...lines.childNodes);
    this.show();
  }

  filter(text) {
    const wanted = text.toLowerCase();
    for (const line of this.querySelectorAll('li[id^="L"]')) line.hidden = !line.textContent.toLowerCase().includes(wanted);
  }

  /** Shows the line that the address names, which may be on another page. */
  show() {
    const [, step, line] = /^#step:(\d+):(\d+)$/.exec(location.hash) ?? [];
    if (!line) return;
    const found = document.getElementById(location.hash.slice(1));
    for (let at = found?.closest('details'); at; at = at.parentElement.closest('details')) at.open = true;
    found?.scrollIntoView({ block: 'center' });
    if (!found && !new URLSearchParams(location.search).has('line')) location.search = `?step=${step}&line=${line}`;
  }
}
customElements.define('job-log', JobLog);
