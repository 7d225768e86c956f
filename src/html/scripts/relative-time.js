// Shows the exact time in the reader's own zone and language, and keeps relative times current.
const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

const textOf = (date) => {
  const seconds = (date.getTime() - Date.now()) / 1_000;
  const found = units.find(([, length]) => Math.abs(seconds) >= length);
  return found ? relative.format(Math.trunc(seconds / found[1]), found[0]) : 'just now';
};

class RelativeTime extends HTMLElement {
  connectedCallback() {
    const time = this.querySelector('time');
    if (!time) return;
    const date = new Date(time.dateTime);
    time.title = exact.format(date);
    this.timer = setInterval(() => {
      time.textContent = textOf(date);
    }, 60_000);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }
}
customElements.define('relative-time', RelativeTime);
