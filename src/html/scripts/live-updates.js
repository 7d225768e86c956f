// Keeps a page current: when its subject changes, the page is read again, and its parts are replaced.
/** A page; undefined if it can't be read now. */
const readPage = async (address) => {
  const reply = await fetch(address, { headers: { accept: 'text/html' } }).catch(() => undefined);
  return reply?.ok ? new DOMParser().parseFromString(await reply.text(), 'text/html') : undefined;
};

const isSame = (one, other) => one.outerHTML === other.outerHTML;

const replaceParts = (fresh) => {
  for (const part of fresh.querySelectorAll('[data-part]')) {
    const old = document.getElementById(part.id);
    if (old && !isSame(old, part)) old.replaceWith(part);
  }
  return fresh.querySelector('live-updates') !== null;
};

class LiveUpdates extends HTMLElement {
  connectedCallback() {
    this.link = this.innerHTML;
    this.change = () => (document.hidden ? this.close() : this.open());
    document.addEventListener('visibilitychange', this.change);
    this.change();
  }

  disconnectedCallback() {
    document.removeEventListener('visibilitychange', this.change);
    this.close();
  }

  open() {
    if (this.events) return;
    this.events = new EventSource(this.dataset.events);
    this.events.onopen = () => {
      this.innerHTML = '<span class="live">Live</span>';
    };
    this.events.onmessage = () => this.read();
    this.events.onerror = () => {
      this.innerHTML = this.link;
    };
  }

  close() {
    this.events?.close();
    this.events = undefined;
  }

  /** Reads the page again, once at a time. */
  async read() {
    if (this.reading) {
      this.again = true;
      return;
    }
    this.reading = true;
    const log = document.querySelector('job-log');
    for (let more = true; more; ) {
      this.again = false;
      const fresh = await readPage(log?.nextAddress() ?? location.href);
      if (!fresh) break;
      const goesOn = replaceParts(fresh);
      more = (log?.append(fresh) ?? false) || this.again;
      if (!goesOn && !more) {
        this.close();
        this.remove();
      }
    }
    this.reading = false;
  }
}
customElements.define('live-updates', LiveUpdates);
