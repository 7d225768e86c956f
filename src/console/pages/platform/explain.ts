import { plainFrame } from '#console/frames/plain.ts';
import { type Found, isRefused, type PageRequest, page, type ReadRefusal, type Reads, readOrExplain } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { flag, html, type TrustedHtml } from '#html/template.ts';
import { explainPushTo, explainRequest } from '#resources/platform/meta/explanations.ts';

type Decision = Exclude<Found<{ decision: ReturnType<typeof ofRequest> }>['decision'], ReadRefusal>;
type Asked = PageRequest<unknown>;

/** The address of a request, without the server and the prefix of the API. */
const pathIn = (address: string): string => address.trim().replace(/^https?:\/\/[^/]+/, '');

const ofRequest = ({ query: { method = 'GET', path = '', login } }: Asked) =>
  readOrExplain(explainRequest, { query: { method, path: pathIn(path), login: login || undefined } });

const ofPush = ({ query: { repository = '', ref, to, login } }: Asked) =>
  readOrExplain(explainPushTo, {
    query: { repository: repository.trim(), ref: ref || 'main', to: to || undefined, login: login || undefined },
  });

/** Seeing a repository is a request like any other. */
const ofVisit = ({ query: { repository = '', login } }: Asked) =>
  readOrExplain(explainRequest, { query: { method: 'GET', path: `/repos/${repository.trim()}`, login: login || undefined } });

const isAsked = ({ path, repository }: Asked['query']): boolean => Boolean(path?.trim() || repository?.trim());

function readsOf(request: Asked): Reads {
  const { query } = request;
  if (!isAsked(query)) return {};
  if (query.path?.trim()) return { decision: ofRequest(request) };
  return { decision: query.do === 'see' ? ofVisit(request) : ofPush(request) };
}

export const explainPage = page({
  path: '/explain',
  frame: plainFrame,
  isForPeople: true,
  reads: readsOf,
  render(found, request) {
    const { decision } = found as { decision?: Decision | ReadRefusal };
    return {
      title: 'Why can’t I?',
      body: html`<div class="heading"><h1>Why can’t I?</h1></div><p class="soft">See step by step why a request or a push of
yours is allowed or refused.
Nothing is carried out.</p><div class="asks">${repositoryForm(request)}${requestForm(request)}</div>${answer(decision, request)}`,
    };
  },
});

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Site administrators may ask for somebody else. */
const loginField = ({ person, query }: Asked): TrustedHtml =>
  person?.site_admin
    ? html`<label>For another person<input name="login" value="${query.login ?? ''}" placeholder="${person.login}"
autocomplete="off"></label>`
    : html``;

const requestForm = (request: Asked): TrustedHtml =>
  html`<form class="panel" action="/explain"><header><h2>Why is a request refused?</h2></header><div class="body form">
<label>Method<select name="method">${methods.map(
    (one) => html`<option${flag('selected', (request.query.method ?? 'GET').toUpperCase() === one)}>${one}</option>`,
  )}</select></label><label>Address<input name="path" value="${request.query.path ?? ''}" placeholder="/repos/acme/engine/issues"
autocomplete="off"></label>
${loginField(request)}<button class="first">Explain</button></div></form>`;

const repositoryForm = (request: Asked): TrustedHtml => {
  const { query } = request;
  return html`<form class="panel" action="/explain"><header><h2>Why can’t I see or push this?</h2></header>
<div class="body form"><label>What<select name="do">
<option value="push"${flag('selected', query.do !== 'see')}>Push to it</option>
<option value="see"${flag('selected', query.do === 'see')}>See it</option></select></label>
<label>Repository<input name="repository" value="${query.repository ?? ''}" placeholder="acme/engine" autocomplete="off"></label>
<label>Branch or ref<input name="ref" value="${query.ref ?? ''}" placeholder="main" autocomplete="off"></label>
<label>Pushed commit, if the server has it<input name="to" value="${query.to ?? ''}" autocomplete="off"></label>
${loginField(request)}<button class="first">Explain</button></div></form>`;
};

function answer(decision: Decision | ReadRefusal | undefined, request: Asked): TrustedHtml {
  if (!decision) return html``;
  if (isRefused(decision))
    return html`<div class="notice bad" role="alert">${decision.refused.map((message) => html`<p>${message}</p>`)}</div>`;
  const { allowed, steps, status, message, endpoint } = decision;
  const outcome = allowed
    ? html`<p class="state success">${icon('circle-check')}Allowed</p>`
    : html`<p class="state failed">${icon('circle-x')}Refused${status === null ? '' : ` with ${status}`}</p>`;
  const isAbsent = status === 404 && steps.length === 0;
  return html`<section class="panel" aria-label="Answer"><header><h2>${asked(request)}</h2><span
class="push">${outcome}</span></header>
${
  endpoint
    ? html`<p class="body"><code>${endpoint.method} ${endpoint.path}</code> <span
class="soft small">${endpoint.id}</span></p>`
    : ''
}
${message === null ? '' : html`<p class="body">${message}</p>`}
${
  isAbsent
    ? html`<p class="body soft">There is nothing at this address, or it is not for the person who asks. Which of both is
not said.</p>`
    : ''
}
<ol class="rows steps">${steps.map(
    ({ check, passed, because }) =>
      html`<li>${outcomeIcon(passed)}<div class="grow"><b>${check}</b><p class="soft small">${because}</p></div></li>`,
  )}</ol></section>`;
}

const outcomeIcon = (passed: boolean | null): TrustedHtml => {
  if (passed === null) return html`<span class="wait">${icon('clock')}<span class="unseen">depends</span></span>`;
  return passed
    ? html`<span class="ok">${icon('circle-check')}<span class="unseen">passed</span></span>`
    : html`<span class="bad">${icon('circle-x')}<span class="unseen">refused</span></span>`;
};

function asked({ query, person }: Asked): TrustedHtml {
  const who = query.login || person?.login;
  if (query.path?.trim()) return html`${query.method ?? 'GET'} ${pathIn(query.path)} by ${who}`;
  return query.do === 'see'
    ? html`Seeing ${query.repository} by ${who}`
    : html`A push to ${query.ref || 'main'} of ${query.repository} by ${who}`;
}
