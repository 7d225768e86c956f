// Webhooks of a repository or an organization, with what was sent and what came back.

import { pagePath, withQuery } from '#console/components/address.ts';
import { jsonBeginning } from '#console/components/json.ts';
import { countText, emptyState, pager } from '#console/components/lists.ts';
import { chips, dataTable, factList, onOff } from '#console/components/table.ts';
import { timeAgo } from '#console/components/time.ts';
import { inOrganizationSettings, inRepositorySettings } from '#console/frames/settings.ts';
import { type PageContent, type PageRequest, page, read } from '#console/page.ts';
import type { ListPosition } from '#endpoint/paging.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import {
  getOrgWebhookDelivery,
  getRepoWebhookDelivery,
  listOrgWebhookDeliveries,
  listRepoWebhookDeliveries,
} from '#resources/platform/webhooks/endpoints/deliveries.ts';
import {
  getOrgWebhook,
  getRepoWebhook,
  listOrgWebhooks,
  listRepoWebhooks,
} from '#resources/platform/webhooks/endpoints/hooks.ts';

const perPage = 50;
const shownDeliveries = 30;
/** Longer bodies are cut. */
const mostCharacters = 50_000;

type Hook = {
  readonly id: number;
  readonly active: boolean;
  readonly events: readonly string[];
  readonly config: {
    readonly url: string;
    readonly content_type: string;
    readonly insecure_ssl: string;
    readonly secret?: string;
  };
  readonly created_at: string;
  readonly updated_at: string;
};

type DeliveryItem = {
  readonly id: number;
  readonly event: string;
  readonly action: string | null;
  readonly status: string;
  readonly status_code: number;
  readonly delivered_at: string;
  readonly duration: number;
  readonly redelivery: boolean;
  readonly throttled_at: string | null;
};

type Delivery = DeliveryItem & {
  readonly guid: string;
  readonly url: string;
  readonly request: { readonly headers: object | null; readonly payload: object | null };
  readonly response: { readonly headers: object | null; readonly payload: string | null };
};

const listBody = (
  hooks: readonly Hook[],
  path: string,
  request: PageRequest,
  position: ListPosition | undefined,
): PageContent => ({
  title: 'Webhooks',
  body: html`<h1>Webhooks</h1><p class="soft">Addresses that are told of events as they happen.</p>${
    hooks.length === 0
      ? emptyState({
          icon: 'webhook',
          title: 'Webhooks will be listed here, with whether their receivers answer.',
          hint: html`Create one with <code>POST …/hooks</code>.`,
        })
      : dataTable({
          caption: 'Webhooks',
          columns: ['Address', 'Events', 'State', 'Changed'],
          rows: hooks.map((hook) => [
            html`<a href="${path}/${hook.id}">${hook.config.url}</a>`,
            chips(hook.events),
            onOff(hook.active),
            timeAgo(hook.updated_at, request.now),
          ]),
        })
  }${pager(request, { position, perPage })}`,
});

/** A code and a word, since a colour alone says nothing. */
const outcome = ({ status, status_code }: DeliveryItem): TrustedHtml =>
  status_code >= 200 && status_code < 300
    ? html`<span class="state success">${icon('circle-check')}${status_code}</span>`
    : html`<span class="state failed">${icon('circle-x')}${status_code === 0 ? status : `${status_code} ${status}`}</span>`;

const eventName = ({ event, action }: DeliveryItem): string => (action === null ? event : `${event}.${action}`);

const hookBody = (
  hook: Hook,
  deliveries: readonly DeliveryItem[],
  path: string,
  request: PageRequest,
  position: ListPosition | undefined,
): PageContent => ({
  title: 'Webhook',
  body: html`<h1>${hook.config.url}</h1>${factList([
    ['State', onOff(hook.active)],
    ['Events', chips(hook.events)],
    ['Format', hook.config.content_type],
    ['Secret', hook.config.secret === undefined ? 'none' : 'set'],
    ['Certificates', hook.config.insecure_ssl === '1' ? html`<span class="bad">are not checked</span>` : 'are checked'],
    ['Created', timeAgo(hook.created_at, request.now)],
  ])}<h2>Deliveries</h2>${
    deliveries.length === 0
      ? emptyState({ icon: 'history', title: 'What is sent to this address will be listed here, with what came back.' })
      : dataTable({
          caption: 'Deliveries',
          columns: ['Event', 'Answer', 'Duration', 'Sent'],
          rows: deliveries.map((delivery) => [
            html`<a href="${path}/${hook.id}/deliveries/${delivery.id}">${eventName(delivery)}</a>${
              delivery.redelivery ? html`<span class="badge">again</span>` : ''
            }`,
            outcome(delivery),
            `${delivery.duration} s`,
            timeAgo(delivery.delivered_at, request.now),
          ]),
        })
  }${
    position?.next === undefined
      ? ''
      : html`<nav class="pager" aria-label="Pages">
<a class="button" rel="next" href="${withQuery(request.address, { cursor: String(position.next) })}">Older</a></nav>`
  }`,
});

/** Headers as lines. */
const headerLines = (headers: object | null): string =>
  headers === null
    ? ''
    : Object.entries(headers)
        .map(([name, value]) => `${name}: ${String(value)}`)
        .join('\n');

type Shown = { readonly text: string; readonly isWhole: boolean };

const beginning = (text: string): Shown => ({ text: text.slice(0, mostCharacters), isWhole: text.length <= mostCharacters });

const shownText = (label: string, { text, isWhole }: Shown): TrustedHtml =>
  text === ''
    ? html`<p class="soft">${label}: nothing.</p>`
    : html`<pre class="block" tabindex="0" role="region" aria-label="${label}">${text}</pre>${
        isWhole
          ? ''
          : html`<p class="soft small">The first ${countText(mostCharacters)} characters are shown. The API has the rest.</p>`
      }`;

const deliveryBody = (delivery: Delivery, path: string, request: PageRequest): PageContent => ({
  title: 'Delivery',
  body: html`<p><a href="${path}">All deliveries</a></p><h1>${eventName(delivery)}</h1>${factList([
    ['Answer', outcome(delivery)],
    ['Sent', timeAgo(delivery.delivered_at, request.now)],
    ['To', delivery.url],
    ['Took', `${delivery.duration} s`],
    ['Id', html`<code>${delivery.guid}</code>`],
    ['Sent again', delivery.redelivery ? 'yes' : 'no'],
    ['Waited', delivery.throttled_at === null ? undefined : timeAgo(delivery.throttled_at, request.now)],
  ])}<h2>Request</h2>${shownText('Headers of the request', beginning(headerLines(delivery.request.headers)))}${shownText(
    'Body of the request',
    delivery.request.payload === null ? beginning('') : jsonBeginning(delivery.request.payload, mostCharacters),
  )}<h2>Response</h2>${shownText('Headers of the response', beginning(headerLines(delivery.response.headers)))}${shownText(
    'Body of the response',
    beginning(delivery.response.payload ?? ''),
  )}`,
});

const ofRepository = (name: string): string => pagePath(name, 'settings', 'hooks');
const ofOrganization = (login: string): string => pagePath('organizations', login, 'settings', 'hooks');

const repositoryFrame = inRepositorySettings('settings/hooks');
const organizationFrame = inOrganizationSettings('hooks');

export const repositoryWebhooks = page({
  path: '/{owner}/{repo}/settings/hooks',
  frame: repositoryFrame,
  reads: ({ query }) => ({ hooks: read(listRepoWebhooks, { query: { per_page: perPage, page: query.page } }) }),
  render: ({ repository, hooks }, request, positions) =>
    listBody(hooks, ofRepository(repository.full_name), request, positions.hooks),
});

export const repositoryWebhook = page({
  path: '/{owner}/{repo}/settings/hooks/{hook_id}',
  frame: repositoryFrame,
  reads: ({ query }) => ({
    hook: read(getRepoWebhook),
    deliveries: read(listRepoWebhookDeliveries, { query: { per_page: shownDeliveries, cursor: query.cursor } }),
  }),
  render: ({ repository, hook, deliveries }, request, positions) =>
    hookBody(hook, deliveries, ofRepository(repository.full_name), request, positions.deliveries),
});

export const repositoryDelivery = page({
  path: '/{owner}/{repo}/settings/hooks/{hook_id}/deliveries/{delivery_id}',
  frame: repositoryFrame,
  reads: () => ({ delivery: read(getRepoWebhookDelivery) }),
  render: ({ repository, delivery }, request) =>
    deliveryBody(delivery, `${ofRepository(repository.full_name)}/${request.words.hook_id}`, request),
});

export const organizationWebhooks = page({
  path: '/organizations/{org}/settings/hooks',
  frame: organizationFrame,
  reads: ({ query }) => ({ hooks: read(listOrgWebhooks, { query: { per_page: perPage, page: query.page } }) }),
  render: ({ account, hooks }, request, positions) => listBody(hooks, ofOrganization(account.login), request, positions.hooks),
});

export const organizationWebhook = page({
  path: '/organizations/{org}/settings/hooks/{hook_id}',
  frame: organizationFrame,
  reads: ({ query }) => ({
    hook: read(getOrgWebhook),
    deliveries: read(listOrgWebhookDeliveries, { query: { per_page: shownDeliveries, cursor: query.cursor } }),
  }),
  render: ({ account, hook, deliveries }, request, positions) =>
    hookBody(hook, deliveries, ofOrganization(account.login), request, positions.deliveries),
});

export const organizationDelivery = page({
  path: '/organizations/{org}/settings/hooks/{hook_id}/deliveries/{delivery_id}',
  frame: organizationFrame,
  reads: () => ({ delivery: read(getOrgWebhookDelivery) }),
  render: ({ account, delivery }, request) =>
    deliveryBody(delivery, `${ofOrganization(account.login)}/${request.words.hook_id}`, request),
});
