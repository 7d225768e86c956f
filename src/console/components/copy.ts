import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';

/** A button that copies a text. Without scripts, it isn't shown. `what`: what is copied, for screen readers. */
export const copyButton = (text: string, what: string): TrustedHtml =>
  html`<copy-button><button type="button" class="plain" hidden data-copy="${text}" aria-label="Copy ${what}" title="Copy ${what}">
${icon('copy')}</button></copy-button>`;
