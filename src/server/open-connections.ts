import type { Socket } from 'node:net';

/** A TCP connection. It is identified by the peer's name, since with TLS, requests arrive on a different socket object. */
type OpenConnection = { readonly socket: Socket; readonly name: string };

/** The name of a connection's peer. */
export const nameOfPeer = ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string =>
  `${remoteAddress} ${remotePort}`;

/** The open connections of each address, the oldest first. */
export class OpenConnections {
  readonly #byAddress = new Map<string, Set<OpenConnection>>();

  /** The number of connections of an address. */
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

  /**
   * The oldest connection without a request in progress, from the address with the most connections among the addresses that have
   * one.
   */
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
