import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import ssh2 from 'ssh2';
import { sshLimits } from '#lib/limits/ssh.ts';
import { StartupError } from '#lib/startup-error.ts';
import type { GitParts } from '#server/git-exchange.ts';
import type { SshSettings } from '#server/hearth.ts';
import type { LimitRefusals } from '#server/limit-refusals.ts';
import type { SlowThresholds } from '#server/request-log.ts';
import { Addresses } from './addresses.ts';
import { Connection } from './connection.ts';

/** The parts of Hearth that the server needs. */
export type SshParts = GitParts & { refusals: LimitRefusals; slow?: SlowThresholds | undefined };

/** Git over SSH. It offers nothing else: no shell, no forwarding, no files. */
export type SshServer = {
  /** The port that it listens on. */
  port: number;
  /** Accepts no more connections, ends connections without a running command, and waits for the others. */
  drain(): Promise<void>;
  /** Ends all connections. */
  close(): Promise<void>;
};

/**
 * The supported algorithms. All clients of the last ten years support them, and none is weak or slow. ChaCha20 is missing since
 * Node has AES in hardware, and compression since it costs the server more than the network.
 */
const algorithms: ssh2.Algorithms = {
  kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org', 'ecdh-sha2-nistp256', 'ecdh-sha2-nistp384', 'ecdh-sha2-nistp521'],
  serverHostKey: ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256'],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
};

/**
 * Listens for Git over SSH. If it picks a free port, it stores the port in the settings.
 * @throws StartupError with the reason, for the operator
 */
export async function openSshServer(
  parts: SshParts,
  settings: SshSettings,
  { host, port }: { host: string; port: number },
): Promise<SshServer> {
  const limits = parts.services.resourceLimits.of(sshLimits);
  const addresses = new Addresses(parts.database.db, limits);
  const connections = new Map<string, Connection>();
  const protocol = new ssh2.Server({
    hostKeys: settings.hostKeys.map(({ privateKey }) => privateKey),
    algorithms,
    ident: 'Hearth',
  });
  // A client whose first line was read. Before that, the library has no information.
  protocol.on('connection', (client, { ip, port, header }) =>
    connections.get(nameOf(ip, port))?.begin(client, header.versions.software),
  );

  const accept = (socket: Socket): void => {
    socket.on('error', () => undefined);
    const { remoteAddress: address, remotePort } = socket;
    if (address === undefined || remotePort === undefined) return void socket.destroy();
    const drop = (): void => {
      parts.refusals.note({ ip: address }, 'ssh.strangers');
      socket.destroy();
    };
    const admission = addresses.admit(address, drop);
    if ('limit' in admission) {
      parts.refusals.note({ ip: address }, admission.limit);
      return void socket.destroy();
    }
    const name = nameOf(address, remotePort);
    const connection = new Connection({ ...parts, socket, address, addresses, admission });
    connections.set(name, connection);
    socket.once('close', () => connections.delete(name));
    void connection.admit().then((isAdmitted) => isAdmitted && protocol.injectSocket(socket));
  };

  const server = createServer({ keepAlive: true, noDelay: true, pauseOnConnect: true }, accept);
  const taken = await listen(server, { host, port });
  if (settings.port === 0) settings.port = taken;
  const ended = () => Promise.all([...connections.values()].map(({ closed }) => closed));
  return {
    port: taken,
    async drain() {
      server.close();
      for (const connection of connections.values()) connection.drain();
      await ended();
    },
    async close() {
      server.close();
      for (const connection of connections.values()) connection.destroy();
      await ended();
    },
  };
}

const nameOf = (address: string, port: number): string => `${address} ${port}`;

async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new StartupError(
        `Port ${port} of ${host} is in use, which is for Git over SSH: stop what listens there, or choose another by ` +
          '--ssh-port, or off',
      );
    if (code === 'EACCES')
      throw new StartupError(`Port ${port} may not be used by this account: choose one above 1023 by --ssh-port`);
    throw error;
  }
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}
