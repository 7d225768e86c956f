/** Sends requests over a number of connections, and tells how long each took. Runs as a process of its own. */
import { Agent, request } from 'node:http';
import type { Load, Took } from './run.ts';

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Milliseconds from sending a request until its reply is read. */
function once({ url, method, token, body }: Load): Promise<number> {
  const start = performance.now();
  const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (reply) => {
      reply.on('error', reject);
      reply.on('end', () => {
        if ((reply.statusCode ?? 500) < 300) resolve(performance.now() - start);
        else reject(new Error(`${method} ${url} is answered by ${reply.statusCode}`));
      });
      reply.resume();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function measure(load: Load): Promise<Took> {
  const times: number[] = [];
  let left = load.requests;
  const start = performance.now();
  const connection = async (): Promise<void> => {
    while (left-- > 0) times.push(await once(load));
  };
  await Promise.all(Array.from({ length: load.connections }, connection));
  return { times, perSecond: (load.requests / (performance.now() - start)) * 1_000 };
}

process.on('message', (load: Load) => {
  measure(load).then(
    (took) => process.send?.(took),
    (error) => {
      throw error;
    },
  );
});
