// Explains decisions to the people whom they are about. `hearth explain` shows all steps, since the operator may see everything.
import type { Endpoint } from '#endpoint/endpoint.ts';
import type { ExplainedDecision, Explainer } from '#endpoint/explainer.ts';
import { explain } from './explain.ts';
import { explainPush } from './explain-push.ts';

/** The explainer for pages. */
export const explainerOf = (endpoints: readonly Endpoint[]): Explainer => ({
  async request({ db, services, viewer, now }, { method, path }) {
    return shown(await explain({ db, endpoints, viewer, method, path, now, url: services.url }));
  },
  async push({ db, services, viewer, now }, push) {
    return shown(await explainPush({ db, services, viewer, ...push, now }));
  },
});

/** What isn't visible has the same steps as what isn't there: none. */
function shown({ steps, allowed, status, message, ...rest }: ExplainedDecision): ExplainedDecision {
  const isHidden = steps.some(({ check, passed }) => check === 'visible' && passed === false);
  const outcome = { allowed, ...(status === undefined ? {} : { status }), ...(message === undefined ? {} : { message }) };
  const endpoint = 'endpoint' in rest ? { endpoint: rest.endpoint } : {};
  return { ...endpoint, steps: isHidden ? [] : steps, ...outcome };
}
