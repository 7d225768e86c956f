// All decisions about all endpoints: compares the result of `authorize` for the declarations with the documents' result for the
// same callers.
import { expect, test } from 'vitest';
import { authorize } from '#access/authorize.ts';
import type { Policy } from '#access/policy.ts';
import { allEndpoints } from '#resources/all.ts';
import { type Cell, cellsOf, factsOf, type Place, placeOf } from './cells.ts';
import { asServed } from './facts.ts';
import { flipsOf } from './flips.ts';
import { naive, type Outcome } from './naive.ts';
import { differencesOf, knownRoutes, lineOf, type Requirement, requirementOf } from './requirements.ts';

/** A cell with the server's data for it, and the documents' result. */
type Decided = { cell: Cell; served: ReturnType<typeof asServed>; expected: Outcome };

function decide(needs: Requirement, place: Place, write: boolean): Decided[] {
  return cellsOf(needs, place, write).map((cell) => {
    const facts = factsOf(cell, place);
    return { cell, served: asServed(facts), expected: naive(needs, facts, write) };
  });
}

const outcomeOf = (policy: Policy, { viewer, target }: Decided['served'], write: boolean): Outcome => {
  const decision = authorize(policy, viewer, target, { write });
  return decision.allowed ? 'allowed' : decision.refusal;
};

/** Whether a declaration decides differently in some cell, or can't decide. */
function isNoticed(policy: Policy, decided: readonly Decided[], write: boolean): boolean {
  try {
    return decided.some(({ served, expected }) => outcomeOf(policy, served, write) !== expected);
  } catch {
    return true;
  }
}

const told = ({ cell: { credential, ...where }, expected }: Decided, outcome: Outcome): string =>
  `${JSON.stringify(where)} by ${credential.kind} with ` +
  `${credential.holds}${credential.elsewhere ? ' elsewhere' : ''}: ${outcome}, but ${expected} is expected`;

/** The first test refuses an endpoint without a line. */
const known = new Set(knownRoutes());
const cases = allEndpoints
  .filter(({ method, path }) => known.has(`${method} ${path}`))
  .map((endpoint) => {
    const { method, path, access } = endpoint;
    return {
      route: `${method} ${path}`,
      access: access as Policy,
      needs: requirementOf(endpoint),
      place: placeOf(path),
      write: method !== 'GET',
    };
  });

/** Endpoints with the same requirements and the same kind of path have the same cells. */
const groups = [
  ...Map.groupBy(cases, ({ access, needs, place, write }) => JSON.stringify([access, needs, place, write])).values(),
].flatMap((group) => group.slice(0, 1).map((first) => ({ ...first, routes: group.map(({ route }) => route) })));

test('requirements.txt says of every endpoint what the documents leave open', async () => {
  const lines = allEndpoints.map((endpoint) => lineOf(endpoint, endpoint.access)).toSorted();
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./requirements.txt');
});

test('every declaration says what the documents and requirements.txt say', () => {
  const wrong = cases.flatMap(({ route, access, needs }) => differencesOf(access, needs).map((field) => `${route}: ${field}`));
  expect(wrong).toEqual([]);
});

test('every cell of every endpoint is decided as the documents say', () => {
  const wrong: string[] = [];
  const seen = new Map<Outcome, number>();
  for (const { access, needs, place, write, routes } of groups)
    for (const decided of decide(needs, place, write)) {
      const outcome = outcomeOf(access, decided.served, write);
      seen.set(outcome, (seen.get(outcome) ?? 0) + routes.length);
      if (outcome !== decided.expected) wrong.push(`${routes.join(', ')}: ${told(decided, outcome)}`);
    }
  expect(wrong.length, wrong.slice(0, 20).join('\n')).toBe(0);
  for (const outcome of ['allowed', 'unauthenticated', 'forbidden', 'not_found'] as const)
    expect(seen.get(outcome), outcome).toBeGreaterThan(1_000);
});

/** The others change no more decisions, since most of them concern only changes of repositories. */
const main: readonly (keyof Policy)[] = ['permission', 'scopes', 'credentials', 'role'];

test('each declaration with one thing changed makes a test above fail, and most change a decision', () => {
  const counts = { flips: 0, main: 0, decided: 0 };
  const unnoticed: string[] = [];
  for (const { access, needs, place, write, routes, route } of groups) {
    const decided = decide(needs, place, write);
    for (const { field, what, policy } of flipsOf(access)) {
      const isDecided = isNoticed(policy, decided, write);
      counts.flips += routes.length;
      if (main.includes(field)) counts.main += routes.length;
      if (main.includes(field) && isDecided) counts.decided += routes.length;
      if (!isDecided && differencesOf(policy, needs).length === 0) unnoticed.push(`${route}: ${what}`);
    }
  }
  expect(unnoticed).toEqual([]);
  expect(counts.flips).toBeGreaterThan(10_000);
  // The rest has no effect: a scope where only apps are allowed, a role for something public, or the role `read` where the caller
  // can see the repository.
  expect(counts.decided / counts.main, JSON.stringify(counts)).toBeGreaterThan(0.85);
});
