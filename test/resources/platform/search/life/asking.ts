import { expect } from 'vitest';
import type { Client } from '#test/support/client.ts';
import {
  type Answer,
  answerTo,
  fullName,
  type Item,
  isScope,
  kinds,
  type Model,
  maySee,
  type Question,
  queryOf,
  type Viewer,
  viewers,
} from './model.ts';

/** Who asks, each with a credential of theirs. */
export type Clients = Record<Viewer, Client>;

type Match = { fragment: string; matches: { text: string }[] };
type Hit = {
  sha?: string;
  path?: string;
  number?: number;
  full_name?: string;
  repository?: { full_name: string };
  repository_url?: string;
  text_matches: Match[];
};

const textMatch = { headers: { accept: 'application/vnd.service.text-match+json' } };
const placeOf = ({ full_name, repository, repository_url = '' }: Hit): string =>
  full_name ?? repository?.full_name ?? repository_url.split('/').slice(-2).join('/');

/** The name of a hit, as the model has it. */
function keyOf(hit: Hit): string {
  if (hit.path !== undefined) return `${placeOf(hit)}:${hit.path}`;
  if (hit.number !== undefined) return `${placeOf(hit)}#${hit.number}`;
  return hit.sha === undefined ? placeOf(hit) : `${placeOf(hit)}:${hit.sha}`;
}

/** Asks a question as everybody, and compares the replies with what the model says. */
export const askAll = (clients: Clients, model: Model, question: Question): Promise<unknown> =>
  Promise.all(viewers.map((viewer) => askAs(viewer, clients, model, question)));

/** Asks a question as one of them. */
export async function askAs(viewer: Viewer, clients: Clients, model: Model, question: Question): Promise<void> {
  const { kind, words, perPage = 100 } = question;
  const query = queryOf(question);
  const asked = `${viewer} searches ${kind} for ${query}, ${perPage} a page`;
  const reply = await clients[viewer].get(`/search/${kind}?per_page=${perPage}&q=${encodeURIComponent(query)}`, textMatch);
  const answer = answerTo(model, question, viewer);
  expect(reply.status, `${asked}: ${reply.text}`).toBe(statusOf(answer));
  if (typeof answer === 'string') return;
  const hits: Hit[] = reply.body.items;
  expectVisible(model, viewer, hits, asked);
  const { total_count, incomplete_results } = reply.body;
  expect([Math.min(total_count, perPage), incomplete_results], asked).toEqual([hits.length, false]);
  if (!model.settled) return;
  expect(total_count, `${asked}: the total`).toBe(answer.length);
  const wanted = new Map(answer.map((item) => [item.key, item]));
  const keys = hits.map(keyOf);
  expect(
    keys.filter((key) => !wanted.has(key)),
    `${asked}: hits that should not be`,
  ).toEqual([]);
  expect(new Set(keys).size, `${asked}: no hit twice`).toBe(keys.length);
  for (const hit of hits) {
    const item = wanted.get(keyOf(hit));
    if (item) expectTrue(hit.text_matches, item, words, `${asked}: text matches of ${item.key}`);
    // Repositories are found by topics and READMEs too, of which no fragments are shown.
    if (kind !== 'repositories') expect(hit.text_matches.length, `${asked}: text matches of ${keyOf(hit)}`).toBeGreaterThan(0);
  }
}

function statusOf(answer: Answer): number {
  if (answer === 'unauthenticated') return 401;
  return answer === 'inaccessible' ? 422 : 200;
}

function expectVisible(model: Model, viewer: Viewer, hits: readonly Hit[], asked: string): void {
  const places = new Set(model.repositories.filter((one) => maySee(model, one, viewer)).map((one) => fullName(model, one)));
  const hidden = hits.map(placeOf).filter((place) => !places.has(place));
  expect(hidden, `${asked}: what is hidden`).toEqual([]);
}

/** Fragments are what the texts say now, and the words in them are those of the query. */
function expectTrue(matches: readonly Match[], { texts }: Item, words: readonly string[], asked: string): void {
  const unsaid = matches.filter(({ fragment }) => !Object.values(texts).some((text) => text.includes(fragment)));
  const unasked = matches.flatMap((match) => match.matches.map(({ text }) => text)).filter((text) => !words.includes(text));
  expect([unsaid, unasked], asked).toEqual([[], []]);
}

/**
 * Searches issues by meaning, as everybody, in what the model knows of: any text means the like of another a little. What is
 * found is there and is such as the qualifiers say; which of it comes close to a word is for others to say. A hybrid search finds
 * words too.
 */
export async function askForMeaning(clients: Clients, model: Model, asked: Question, type: 'semantic' | 'hybrid'): Promise<void> {
  const everywhere = Object.values(model.logins).map((value) => ({ name: 'user', value }));
  const others = asked.qualifiers.filter(({ name, negated }) => negated || !isScope(name));
  const question = { ...asked, qualifiers: [...everywhere, ...others] };
  await Promise.all(viewers.map((viewer) => askOneForMeaning(clients[viewer], model, { question, viewer, type })));
}

type Asking = { question: Question; viewer: Viewer; type: string };

async function askOneForMeaning(client: Client, model: Model, { question, viewer, type }: Asking): Promise<void> {
  const query = queryOf(question);
  const asked = `${viewer} searches issues, ${type}, for ${query}`;
  const path = `/search/issues?per_page=100&search_type=${type}&q=${encodeURIComponent(query)}`;
  const { status, body, text } = await client.get(path, textMatch);
  expect(status, `${asked}: ${text}`).toBe(viewer === 'nobody' ? 401 : 200);
  if (viewer === 'nobody') return;
  const hits: Hit[] = body.items;
  const keys = hits.map(keyOf);
  expectVisible(model, viewer, hits, asked);
  expect(body, asked).toMatchObject({ total_count: new Set(keys).size, incomplete_results: false });
  const possible = itemsFor(model, { ...question, words: [] }, viewer);
  const sure = type === 'hybrid' ? itemsFor(model, question, viewer) : [];
  expect(
    keys.filter((key) => !possible.some((item) => item.key === key)),
    `${asked}: hits that should not be`,
  ).toEqual([]);
  expect(
    sure.map(({ key }) => key).filter((key) => !keys.includes(key)),
    `${asked}: hits that should be`,
  ).toEqual([]);
  for (const item of possible) {
    const { text_matches = [] } = hits.find((hit) => keyOf(hit) === item.key) ?? {};
    expectTrue(text_matches, item, question.words, `${asked}: text matches of ${item.key}`);
  }
}

const itemsFor = (...asked: Parameters<typeof answerTo>): Item[] => {
  const answer = answerTo(...asked);
  return typeof answer === 'string' ? [] : answer;
};

/** Everything that there is, asked of every kind of search by everybody; of files, also how many there are. */
export async function askEverything(clients: Clients, model: Model): Promise<void> {
  for (const kind of kinds) await askAll(clients, model, { kind, words: model.words, qualifiers: [] });
  await askAll(clients, model, { kind: 'code', words: model.words, qualifiers: [], perPage: 1 });
}
