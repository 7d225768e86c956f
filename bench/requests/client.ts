/** Sends requests over a number of connections, and reports how long each took. Runs in a separate process. */
import { Agent, request } from 'node:http';
import { type Answer, headersOf, type Load, type Sent, type Took } from './load.ts';

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Milliseconds from sending a request until its reply is read. */
function once(sent: Sent): Promise<number> {
  const { url, method, body } = sent;
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers: headersOf(sent), agent }, (reply) => {
      reply.on('error', reject);
      reply.on('end', () => {
        if ((reply.statusCode ?? 500) < 300 || reply.statusCode === 304) resolve(performance.now() - start);
        else reject(new Error(`${method} ${url} is answered by ${reply.statusCode}`));
      });
      reply.resume();
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

async function measure(load: Load): Promise<Took> {
  const times: number[] = [];
  let left = load.requests;
  const start = performance.now();
  const connection = async (): Promise<void> => {
    while (left-- > 0) times.push(await once({ ...load, url: load.urls?.[left % load.urls.length] ?? load.url }));
  };
  await Promise.all(Array.from({ length: load.connections }, connection));
  return { times, milliseconds: performance.now() - start };
}

const reply = (answer: Answer): void => void process.send?.(answer);
process.on('message', (load: Load) => {
  measure(load).then(reply, (error: Error) => reply({ failed: error.message }));
});
