import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { headersOf, type Sent } from './load.ts';
import type { Server } from './servers.ts';

/** The request of one row of the table, and whether a reply to it is as expected. */
export type Row = { name: string; method?: 'POST'; path: string; body?: object; expect: (reply: never) => boolean };

/** The resources for the requests on one server. They are created by requests to it, and removed at the end. */
export type Stage = { rows: readonly Row[]; sent(row: Row): Sent; remove(): Promise<void> };

const issues = 200;
const areas = 6;
const comments = 10;
const hooks = 3;
const versions = 40;
/** One in this many issues is about the part that is searched for. */
const parts = ['pump', 'valve', 'pipe', 'tank', 'gauge'];
const searchMs = 60_000;
const file = 'docs/pump.md';
const text = 'The pump runs by day, and rests by night. '.repeat(100);

/**
 * Makes a private repository with issues, labels, comments and a file with many versions, and an organization with webhooks.
 * Features that a server lacks are reported on standard error, and their rows won't get the expected replies.
 *
 * @param strict whether that is an error instead
 */
export async function makeStage(server: Server, { strict }: { strict: boolean }): Promise<Stage> {
  const id = randomBytes(4).toString('hex');
  const { login } = (await send(server, 'GET', '/user')) as { login: string };
  const repository = `/repos/${login}/bench-${id}`;
  const organization = server.organization ?? `bench-${id}`;
  const step = async (run: () => Promise<void>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      if (strict || !(error instanceof Refused)) throw error;
      process.stderr.write(`${server.name}: ${error.message}\n`);
    }
  };
  const post = (path: string, body: object): Promise<unknown> => send(server, 'POST', path, body);

  const made = await post('/user/repos', { name: `bench-${id}`, private: true, auto_init: true });
  const { default_branch: branch } = made as { default_branch: string };
  await step(async () => {
    for (let area = 0; area < areas; area++) await post(`${repository}/labels`, { name: `area ${area}`, color: 'd73a4a' });
  });
  await step(async () => {
    for (let at = 0; at < issues; at++) await post(`${repository}/issues`, issueOf(at));
  });
  await step(async () => {
    for (let at = 0; at < comments; at++) await post(`${repository}/issues/7/comments`, { body: 'It leaks here, too.' });
  });
  await step(async () => {
    let sha: string | undefined;
    for (let version = 0; version < versions; version++) {
      const content = Buffer.from(`Version ${version}\n${text}`).toString('base64');
      const body = { message: `Version ${version}`, content, ...(sha === undefined ? {} : { sha }) };
      const reply = await send(server, 'PUT', `${repository}/contents/${file}`, body);
      ({ sha } = (reply as { content: { sha: string } }).content);
    }
  });
  const hookIds: number[] = [];
  await step(async () => {
    if (server.organization === undefined) await post('/admin/organizations', { login: organization, admin: login });
    for (let at = 0; at < hooks; at++) {
      const config = { url: `https://receiver-${at}.invalid/`, content_type: 'json' };
      const hook = await post(`/orgs/${organization}/hooks`, { name: 'web', active: false, events: ['push'], config });
      hookIds.push((hook as { id: number }).id);
    }
  });

  const word = parts[1] ?? '';
  const query = new URLSearchParams({ q: `${word} repo:${login}/bench-${id} is:issue` });
  const search: Row = {
    name: 'search of issues in a repository',
    path: `/search/issues?${query}`,
    expect: (reply: { total_count: number }) => reply.total_count === issues / parts.length,
  };
  const until = performance.now() + searchMs;
  await step(async () => {
    while (!search.expect((await send(server, 'GET', search.path)) as never)) {
      if (performance.now() > until) break;
      await sleep(200);
    }
  });

  return {
    rows: [
      { name: 'the signed-in user', path: '/user', expect: (reply: { login: string }) => reply.login === login },
      { name: 'a repository', path: repository, expect: (reply: { private: boolean }) => reply.private },
      {
        name: 'an issue',
        path: `${repository}/issues/7`,
        expect: (reply: { labels: unknown[]; comments: number }) => reply.labels.length === 3 && reply.comments === comments,
      },
      { name: '30 issues', path: `${repository}/issues?per_page=30`, expect: (reply: unknown[]) => reply.length === 30 },
      {
        name: "a file's contents",
        path: `${repository}/contents/${file}`,
        expect: ({ content }: { content: string }) => Buffer.from(content, 'base64').includes(text),
      },
      {
        name: "an organization's webhooks",
        path: `/orgs/${organization}/hooks`,
        expect: (reply: unknown[]) => reply.length >= hooks,
      },
      search,
      {
        name: '30 commits',
        path: `${repository}/commits?sha=${branch}&per_page=30`,
        expect: (reply: unknown[]) => reply.length === 30,
      },
      {
        name: 'a new comment',
        method: 'POST',
        path: `${repository}/issues/8/comments`,
        body: { body: 'It leaks here, too.' },
        expect: (reply: { body: string }) => reply.body === 'It leaks here, too.',
      },
      {
        name: 'a new issue',
        method: 'POST',
        path: `${repository}/issues`,
        body: { ...issueOf(0), title: 'It leaks again' },
        expect: (reply: { labels: unknown[] }) => reply.labels.length === 3,
      },
    ],
    sent: ({ method, path, body }) => ({
      method: method ?? 'GET',
      url: `${server.url}${path}`,
      token: server.token,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
    async remove() {
      await step(async () => {
        for (const hook of hookIds) await send(server, 'DELETE', `/orgs/${organization}/hooks/${hook}`);
        if (server.organization === undefined && hookIds.length > 0) await send(server, 'DELETE', `/orgs/${organization}`);
      });
      await step(async () => void (await send(server, 'DELETE', repository)));
    },
  };
}

/** Whether a server answers a row's request as expected. If not, standard error has the details. */
export async function answers(server: Server, { name, method, path, body, expect }: Row): Promise<boolean> {
  try {
    if (expect((await send(server, method ?? 'GET', path, body)) as never)) return true;
    process.stderr.write(`${server.name}: ${name}: ${path} is answered by something else\n`);
  } catch (error) {
    process.stderr.write(`${server.name}: ${name}: ${error instanceof Error ? error.message : error}\n`);
  }
  return false;
}

const issueOf = (at: number): object => ({
  title: `The ${parts[at % parts.length]} leaks`,
  body: 'It does so after an hour of rain, and stops when it is dry.',
  labels: Array.from({ length: 3 }, (_, nth) => `area ${(at + nth) % areas}`),
});

/** A server's error reply. */
class Refused extends Error {}

async function send({ url, token }: Server, method: string, path: string, body?: object): Promise<unknown> {
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  const reply = await fetch(`${url}${path}`, { method, headers: headersOf({ token, ...given }), ...given });
  const said = await reply.text();
  if (!reply.ok) throw new Refused(`${method} ${path} is answered by ${reply.status}: ${said.trim().slice(0, 200)}`);
  return said === '' ? undefined : JSON.parse(said);
}
