// The first process of a sandbox: `node init.mts <orders>`. It leads connections of the sandbox's own network to the
// sockets of its supervisor, then starts the runner. This file is alone in the sandbox, so it imports nothing of Hearth's.
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';

type Forward = { readonly host: string; readonly port: number; readonly socket: string };

function listen({ host, port, socket }: Forward): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const supervisor = connect({ path: socket, allowHalfOpen: true });
    client.on('error', () => supervisor.destroy());
    supervisor.on('error', () => client.destroy());
    client.on('close', () => supervisor.destroy());
    supervisor.on('close', () => client.destroy());
    client.pipe(supervisor).pipe(client);
  });
  server.once('error', reject);
  server.listen({ host, port }, resolve);
  return promise;
}

const { forwards, command } = JSON.parse(process.argv[2] ?? '') as { forwards: Forward[]; command: [string, ...string[]] };
await Promise.all(forwards.map(listen));
const [program, ...words] = command;
const runner = spawn(program, words, { stdio: 'inherit' });
runner.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
runner.on('exit', (code) => process.exit(code ?? 1));
