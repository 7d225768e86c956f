import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countStatements } from '#database/client.ts';
import { listen } from '#server/listen.ts';
import { median, printTable, quantile } from '../search/measure.ts';
import { openStage } from '../search/stage.ts';

/** What a client process is to send, and how often; over so many connections at once. */
export type Load = { url: string; method: string; token: string; body?: string; requests: number; connections: number };
/** Milliseconds of each request. */
export type Took = { times: number[]; perSecond: number };

/** Everyday requests to one serving process, from a client on the same machine. `--requests 500` for a shorter run. */
const { values } = parseArgs({
  options: { requests: { type: 'string', default: '5000' }, connections: { type: 'string', default: '20' } },
});
const issues = 100;
const repository = '/repos/bench/engine';
const issue = {
  title: 'The pump leaks',
  body: 'It does so after an hour of rain.',
  labels: ['bug', 'help wanted'],
  assignees: ['bench'],
};

type Kind = { name: string; method?: string; path: string; body?: object };
const kinds: Kind[] = [
  { name: 'a repository', path: repository },
  { name: 'an issue', path: `${repository}/issues/7` },
  { name: 'list of 30 issues', path: `${repository}/issues` },
  { name: 'list of 30 labels', path: `${repository}/labels` },
  { name: 'the signed-in user', path: '/user' },
  { name: 'a new issue', method: 'POST', path: `${repository}/issues`, body: issue },
  { name: 'a new comment', method: 'POST', path: `${repository}/issues/7/comments`, body: { body: 'It leaks here, too.' } },
];

await using stage = await openStage();

async function send(method: string, path: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${stage.token}` };
  const url = `/api/v3${path}`;
  const reply = await stage.hearth.app.inject({ method: method as 'GET', url, headers, ...(body ? { payload: body } : {}) });
  if (reply.statusCode >= 300) throw new Error(`${method} ${path} is answered by ${reply.payload}`);
}

async function main(): Promise<void> {
  await stage.addRepository('engine');
  for (let at = 0; at < 40; at++) await send('POST', `${repository}/labels`, { name: `area ${at}`, color: 'd73a4a' });
  for (let at = 0; at < issues; at++) await send('POST', `${repository}/issues`, issue);
  const url = await listen(stage.hearth.app, { host: '127.0.0.1', port: 0 });
  const client = fork(join(import.meta.dirname, 'client.ts'));
  const measure = async (load: Load): Promise<Took> => {
    client.send(load);
    const [took] = (await once(client, 'message')) as [Took];
    return took;
  };
  const rows: (string | number)[][] = [];
  for (const { name, method = 'GET', path, body } of kinds) {
    const { statements } = await countStatements(() => send(method, path, body));
    const load = { url: `${url}/api/v3${path}`, method, token: stage.token, ...(body ? { body: JSON.stringify(body) } : {}) };
    const warm = Math.ceil(Number(values.requests) / 10);
    await measure({ ...load, requests: warm, connections: Number(values.connections) });
    const { times, perSecond } = await measure({
      ...load,
      requests: Number(values.requests),
      connections: Number(values.connections),
    });
    rows.push([name, `${statements.length}`, perSecond.toFixed(0), median(times), quantile(times, 0.99)]);
  }
  client.disconnect();
  printTable(['', 'statements', 'requests/s', 'median ms', 'p99 ms'], rows);
}

await main();
