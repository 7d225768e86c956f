import type { Socket } from 'node:net';

/** A connection of TCP. Its name is that of the other side: with TLS, requests come over another socket object. */
type OpenConnection = { readonly socket: Socket; readonly name: string };

/** The name of the other side of a connection. */
export const nameOfPeer = ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string =>
  `${remoteAddress} ${remotePort}`;

/** The open connections of addresses, the oldest of each first. */
export class OpenConnections {
  readonly #byAddress = new Map<string, Set<OpenConnection>>();

  /** The number of an address. */
  of(key: string): number {
    return this.#byAddress.get(key)?.size ?? 0;
  }

  add(key: string, connection: OpenConnection): void {
    const connections = this.#byAddress.get(key) ?? new Set();
    this.#byAddress.set(key, connections.add(connection));
    connection.socket.once('close', () => {
      connections.delete(connection);
      if (connections.size === 0) this.#byAddress.delete(key);
    });
  }

  /** The oldest connection on which no request is answered, of the address that has most connections among those that have one. */
  findIdle(isIdle: (name: string) => boolean): Socket | undefined {
    let most = 0;
    let found: Socket | undefined;
    for (const connections of this.#byAddress.values()) {
      if (connections.size <= most) continue;
      const idle = [...connections].find(({ socket, name }) => !socket.destroyed && isIdle(name));
      if (!idle) continue;
      most = connections.size;
      found = idle.socket;
    }
    return found;
  }
}
