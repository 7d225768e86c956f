// The states of runs, jobs and steps: a word, an icon and a colour.
import { type IconName, icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { durationText } from './time.ts';

type State = { readonly word: string; readonly icon: IconName; readonly color: 'ok' | 'bad' | 'wait' | 'soft' };

const states: Readonly<Record<string, State>> = {
  success: { word: 'Passed', icon: 'circle-check', color: 'ok' },
  failure: { word: 'Failed', icon: 'circle-x', color: 'bad' },
  startup_failure: { word: 'Couldn’t start', icon: 'circle-x', color: 'bad' },
  timed_out: { word: 'Timed out', icon: 'clock', color: 'bad' },
  cancelled: { word: 'Cancelled', icon: 'cancelled', color: 'soft' },
  skipped: { word: 'Skipped', icon: 'skipped', color: 'soft' },
  neutral: { word: 'Neutral', icon: 'circle-dot', color: 'soft' },
  stale: { word: 'Stale', icon: 'clock', color: 'soft' },
  action_required: { word: 'Needs approval', icon: 'warning', color: 'wait' },
  in_progress: { word: 'Running', icon: 'running', color: 'wait' },
  queued: { word: 'Queued', icon: 'clock', color: 'wait' },
  requested: { word: 'Requested', icon: 'clock', color: 'wait' },
  waiting: { word: 'Waiting', icon: 'clock', color: 'wait' },
  pending: { word: 'Pending', icon: 'clock', color: 'wait' },
};
const unknown: State = { word: 'Not started', icon: 'circle-dot', color: 'soft' };

type Stated = { readonly status: string | null; readonly conclusion: string | null };

/** The state of something, or of nothing that was started. */
export const runState = (stated: Stated | undefined): State =>
  states[stated?.conclusion ?? ''] ?? states[stated?.status ?? ''] ?? unknown;

/** The icon of a state, with its word for screen readers. */
export function stateIcon(stated: Stated | undefined): TrustedHtml {
  const { word, icon: name, color } = runState(stated);
  return html`<span class="${color}" title="${word}">${icon(name)}<span class="unseen">${word}</span></span>`;
}

/** The icon and the word of a state. */
export function stateBadge(stated: Stated): TrustedHtml {
  const { word, icon: name, color } = runState(stated);
  const className = color === 'ok' ? 'success' : color === 'bad' ? 'failed' : color === 'wait' ? 'running' : '';
  return html`<span class="state ${className}">${icon(name)}${word}</span>`;
}

/** How long something took, or has taken until now; nothing if it hasn't begun. */
export function durationBetween(start: string | null, end: string | null, now: Date): string {
  if (start === null) return '';
  return durationText(Math.max(0, ((end === null ? now.getTime() : Date.parse(end)) - Date.parse(start)) / 1_000));
}

const sizes = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes for people, such as "1.5 MiB". */
export function sizeText(bytes: number): string {
  const unit = bytes < 1_024 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1_024 ** unit;
  return `${unit === 0 || size >= 100 ? Math.round(size) : Number(size.toFixed(1))} ${sizes[unit]}`;
}
