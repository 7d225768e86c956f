/**
 * Small files of a website, over keep-alive connections from a client process: requests per second, waiting times, and the
 * processor time of the server's process for each. PostgreSQL's is listed separately.
 *
 *     npx node bench/pages/run.ts [--requests 20000] [--rounds 3] [--connections 50] [--files 200]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startClient } from '../requests/load.ts';
import { median, quantile } from '../search/measure.ts';
import { processorTimeOf, processorTimeOfOne } from '../support/processes.ts';
import { startServing } from '../support/serving.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '50' },
    files: { type: 'string', default: '200' },
  },
});
const [requests, rounds, connections, files] = [values.requests, values.rounds, values.connections, values.files].map(Number) as [
  number,
  number,
  number,
  number,
];

const token = 'hrp_bench_administrator_of_this_server';
const folder = await mkdtemp(join(tmpdir(), 'hearth-pages-'));
const serving = await startServing(folder, { env: { HEARTH_ADMIN_TOKEN: token, HEARTH_PAGES_PORT: '0' } });
try {
  const call = async (method: string, path: string, body: object): Promise<Record<string, string>> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const reply = await fetch(`${serving.url}/api/v3${path}`, { method, headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as Record<string, string>;
  };
  const { full_name, default_branch } = await call('POST', '/user/repos', { name: 'site', auto_init: true });
  const tree = Array.from({ length: files }, (_, at) => ({
    path: at === 0 ? 'index.html' : `page-${at}.html`,
    mode: '100644',
    type: 'blob',
    content: `<!doctype html><title>${at}</title><p>${'text '.repeat(400)}</p>`,
  }));
  const made = await call('POST', `/repos/${full_name}/git/trees`, { tree });
  const commit = await call('POST', `/repos/${full_name}/git/commits`, { message: 'Pages', tree: made.sha, parents: [] });
  await call('PATCH', `/repos/${full_name}/git/refs/heads/${default_branch}`, { sha: commit.sha, force: true });
  const { html_url: home = '' } = await call('POST', `/repos/${full_name}/pages`, { source: { branch: default_branch } });
  for (let tries = 0; (await fetch(home)).status !== 200; tries++) {
    if (tries === 300) throw new Error('The website was not built');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const pid = serving.process.pid ?? 0;
  using client = startClient();
  const pages = Array.from({ length: files }, (_, at) => (at === 0 ? home : `${home}page-${at}`));
  const load = { method: 'GET', url: home, urls: pages, token: '', connections };
  await client.measure({ ...load, requests: files });
  for (const [name, more] of [
    ['whole files', {}],
    ['unchanged (304)', { etag: (await fetch(home)).headers.get('etag') ?? '', urls: [home] }],
  ] as const) {
    const rates: number[] = [];
    const waits: number[] = [];
    const own: number[] = [];
    const all: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const before = [await processorTimeOfOne(pid), await processorTimeOf(pid)] as const;
      const { times, milliseconds } = await client.measure({ ...load, ...more, requests });
      own.push(((await processorTimeOfOne(pid)) - before[0]) / requests);
      all.push(((await processorTimeOf(pid)) - before[1]) / requests);
      rates.push((requests / milliseconds) * 1_000);
      waits.push(...times);
    }
    const figures = [
      `${Math.round(median(rates))} requests/s`,
      `median ${median(waits).toFixed(1)} ms`,
      `p99 ${quantile(waits, 0.99).toFixed(1)} ms`,
      `processor ${(1_000 * median(own)).toFixed(0)} µs each in the server, ${(1_000 * median(all)).toFixed(0)} with PostgreSQL`,
    ];
    process.stdout.write(`${name.padEnd(18)}${figures.join('   ')}\n`);
  }
  process.stdout.write(
    `load of the machine: ${loadavg()
      .map((value) => value.toFixed(1))
      .join(' ')}\n`,
  );
} finally {
  await serving.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
