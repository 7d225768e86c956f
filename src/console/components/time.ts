import { html, type TrustedHtml } from '#html/template.ts';

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** How long ago a time was, such as "3 hours ago". */
function relativeTime(time: Date, now: Date): string {
  const seconds = (time.getTime() - now.getTime()) / 1_000;
  for (const [unit, length] of units) if (Math.abs(seconds) >= length) return words.format(Math.trunc(seconds / length), unit);
  return 'just now';
}

/**
 * A time, relative to now. Its exact value is in the tooltip: in UTC, or in the reader's own zone once the script has run.
 * @param time in the format of the API, or nothing for a time that isn't known
 */
export function timeAgo(time: string | null | undefined, now: Date): TrustedHtml {
  if (time === null || time === undefined) return html``;
  const date = new Date(time);
  const title = `${exact.format(date)} UTC`;
  return html`<relative-time><time datetime="${time}" title="${title}">${relativeTime(date, now)}</time></relative-time>`;
}

/** A duration in words, such as "3 min 12 s". */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
