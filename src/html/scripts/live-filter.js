// A filter form that shows its results while one writes: it reads the same page with the new query.
class LiveFilter extends HTMLElement {
  connectedCallback() {
    const form = this.querySelector('form');
    const input = form?.querySelector('input');
    input?.addEventListener('input', () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.show(form), 150);
    });
  }

  async show(form) {
    const address = new URL(form.action);
    address.search = new URLSearchParams(new FormData(form));
    this.wanted = address.href;
    const response = await fetch(address, { headers: { accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const [from, to] = [page, document].map((one) => one.getElementById(this.dataset.shows));
    if (!response.ok || !from || !to || this.wanted !== address.href) return;
    to.replaceWith(from);
    history.replaceState(null, '', address);
  }
}
customElements.define('live-filter', LiveFilter);
