import { hueClass } from '#html/document.ts';
import { html, type TrustedHtml } from '#html/template.ts';

type ShownLabel = { readonly name: string; readonly color: string | null; readonly description?: string | null };

/** A label, which leads to what has it. */
export const labelLink = ({ name, color, description }: ShownLabel, address: string): TrustedHtml =>
  html`<a class="label ${hueClass(color ?? '')}" href="${address}" title="${description ?? ''}">${name}</a>`;
