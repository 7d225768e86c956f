// What pages about security have in common.
import { localAddress } from '#console/components/address.ts';
import { repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import type { PageRequest } from '#console/page.ts';
import { type IconName, icon } from '#html/icons.ts';
import { attribute, html, type Insertable, type TrustedHtml } from '#html/template.ts';

const sections = [
  ['', 'shield', 'Overview'],
  ['advisories', 'law', 'Advisories'],
  ['dependency-alerts', 'package', 'Dependencies'],
  ['code-scanning', 'bug', 'Code scanning'],
  ['secret-scanning', 'key', 'Secrets'],
] as const satisfies readonly (readonly [path: string, icon: IconName, title: string])[];
type Section = (typeof sections)[number][0];

type Framed = { readonly repository: ShownRepository; readonly section: Section };

/**
 * Whether the list of a section may be linked, as far as the repository says. The overview links every list that the viewer may
 * read.
 */
function isKnown(path: Section, { permissions, security_and_analysis: analysis }: ShownRepository): boolean {
  if (path === '' || path === 'advisories') return true;
  if (permissions?.push !== true) return false;
  return path !== 'secret-scanning' || analysis?.secret_scanning?.status === 'enabled';
}

/** A page about security, beside the names of the others. */
export const inSecurity = ({ repository, section }: Framed, body: Insertable): TrustedHtml =>
  html`<div class="split start"><nav class="kinds" aria-label="Security">${sections
    .filter(([path]) => path === section || isKnown(path, repository))
    .map(([path, name, title]) => {
      const address = path === '' ? repositoryPath(repository, 'security') : repositoryPath(repository, 'security', path);
      return html`<a href="${address}"${attribute('aria-current', path === section && 'page')}>${icon(name)}${title}</a>`;
    })}</nav><div>${body}</div></div>`;

const tones: Readonly<Record<string, string>> = {
  critical: 'failed',
  high: 'failed',
  error: 'failed',
  medium: 'running',
  warning: 'running',
};

/** How bad something is, as a word on its colour. */
export const severityMark = (severity: string | null): TrustedHtml =>
  severity === null
    ? html`<span class="state">not rated</span>`
    : html`<span class="state ${tones[severity] ?? ''}">${severity}</span>`;

const stateTones: Readonly<Record<string, string>> = { open: 'failed', triage: 'running', draft: '', published: 'closed' };

export const stateMark = (state: string): TrustedHtml =>
  html`<span class="state ${stateTones[state] ?? 'success'}">${state.replaceAll('_', ' ')}</span>`;

/** The links between the states of a list. */
export const stateTabs = (
  { query }: PageRequest<unknown>,
  path: string,
  states: readonly (readonly [state: string, title: string])[],
): TrustedHtml =>
  html`<nav class="tabs inner" aria-label="State">${states.map(
    ([state, title], at) =>
      html`<a href="${at === 0 ? path : `${path}?state=${state}`}"${attribute(
        'aria-current',
        (states.some(([one]) => one === query.state) ? query.state : states[0]?.[0]) === state && 'page',
      )}>${title}</a>`,
  )}</nav>`;

/** The state that a list is asked for, if there is such a state; otherwise the first. */
export const stateOf = ({ query }: PageRequest<unknown>, states: readonly (readonly [state: string, title: string])[]): string =>
  states.find(([state]) => state === query.state)?.[0] ?? states[0]?.[0] ?? '';

/** A text that isn't rendered, with its lines. */
export const plainText = (text: string | null | undefined): TrustedHtml =>
  text ? html`<div class="prose plain" dir="auto">${text}</div>` : html``;

/** A list of facts, without those that aren't known. */
export const facts = (rows: readonly (readonly [name: string, value: Insertable])[]): TrustedHtml =>
  html`<dl class="facts body">${rows
    .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
    .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;

/** An address of the web that somebody wrote, as a link. */
export const outerLink = (address: string): TrustedHtml =>
  html`<a href="${address}" rel="nofollow noreferrer" title="${address}">${address.replace(/^https?:\/\//, '').slice(0, 80)}</a>`;

export const localLink = (address: string, { links }: PageRequest<unknown>): string => localAddress(address, links.html);
