import { html, type Insertable, type TrustedHtml } from '#html/template.ts';

type Table = {
  /** What the table holds, for screen readers. */
  readonly caption: string;
  readonly columns: readonly string[];
  /** The cells of each row. The first cell names the row. */
  readonly rows: readonly (readonly Insertable[])[];
};

/** A table of facts. On narrow screens it scrolls by itself. */
export const dataTable = ({ caption, columns, rows }: Table): TrustedHtml =>
  html`<div class="panel data" role="region" tabindex="0" aria-label="${caption}"><table class="rows">
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(tableRow)}</tbody></table></div>`;

const tableRow = ([name, ...cells]: readonly Insertable[]): TrustedHtml =>
  html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;

/** Names and values. Values that are undefined, null or empty are left out with their names. */
export const factList = (facts: readonly (readonly [name: string, value: Insertable])[]): TrustedHtml =>
  html`<dl class="facts">${facts
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

/** "on" or "off", with a colour and a word. */
export const onOff = (isOn: boolean | undefined): TrustedHtml =>
  isOn === true ? html`<span class="ok">on</span>` : html`<span class="soft">off</span>`;

/** Short texts beside each other, such as names of events or labels. */
export const chips = (texts: readonly string[]): TrustedHtml =>
  html`<span class="chips">${texts.map((text) => html`<code>${text}</code>`)}</span>`;
