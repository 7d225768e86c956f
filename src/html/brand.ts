import { html } from './template.ts';

/** The picture of Hearth, beside or in the place of its name. */
export const brand = html`<svg viewBox="0 0 24 24" aria-hidden="true">
<path class="house" d="M3 21V10l9-7 9 7v11h-4v-5a5 5 0 0 0-10 0v5z"/>
<path class="flame" d="M12 12.5c1.8 1.9 2.7 3.4 2.7 4.9A2.7 2.7 0 0 1 12 20a2.7 2.7 0 0 1-2.7-2.6c0-1.5.9-3 2.7-4.9z"/>
</svg>`;
