// The worst-case cost of one request with a body for the process that answers it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { listen } from '#server/listen.ts';
import { bodies, pathOf, type Sent } from '#test/support/large-bodies.ts';
import { printTable } from '../search/measure.ts';
import { openStage } from '../search/stage.ts';

await using stage = await openStage();
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
async function main(only: string | undefined): Promise<void> {
  await stage.addRepository('engine');
  const headers = { authorization: `Bearer ${stage.token}` };
  const payload = { message: 'First', content: 'YQ==' };
  await stage.hearth.app.inject({ method: 'PUT', url: '/api/v3/repos/bench/engine/contents/a', headers, payload });
  const url = await listen(stage.hearth.app, { host: '127.0.0.1', port: 0 });
  const client = fork(fileURLToPath(import.meta.resolve('#test/support/body-client.ts')));
  const send = async (body: string): Promise<{ status: number; bytes: number }> => {
    const sent: Sent = { url: `${url}/api/v3/repos/bench/engine/${pathOf(body)}`, method: 'POST', token: stage.token, body };
    client.send(sent);
    const [reply] = await once(client, 'message');
    return reply as { status: number; bytes: number }; // the format of the client
  };
  const rows: (string | number)[][] = [];
  for (const name of Object.keys(bodies).filter((name) => new RegExp(only ?? '').test(name))) {
    await send('ordinary');
    globalThis.gc?.();
    await sleep(300);
    const idle = process.memoryUsage().rss;
    let most = idle;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 5);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const before = process.cpuUsage();
    const { status, bytes } = await send(name);
    const { user, system } = process.cpuUsage(before);
    delay.disable();
    clearInterval(watch);
    rows.push([name, megabytes(bytes), status, (user + system) / 1000, delay.max / 1e6, megabytes(most - idle)]);
  }
  client.disconnect();
  printTable(['', 'MB', 'status', 'CPU ms', 'longest turn ms', 'memory MB'], rows);
}

await main(process.argv[2]);
