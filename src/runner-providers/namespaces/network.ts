// How jobs reach the server. In a network of their own, they have a listener at its address, and a proxy for the rest.
import { BlockList, isIP } from 'node:net';
import type { Sandbox } from './sandbox.ts';

/** A listener in the sandbox, and the socket of the supervisor to which it leads. */
type Forward = { readonly host: string; readonly port: number; readonly socket: string };

export type NetworkPlan = {
  /** The address of the server, as the supervisor connects to it. */
  readonly server: { readonly host: string; readonly port: number };
  readonly forwards: readonly Forward[];
  /** The line of the hosts file for the server's name, if it has one. */
  readonly hosts: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Whether a listener has a port that only privileged processes may use by default. */
  readonly hasLowPort: boolean;
};

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const proxyPort = 3128;
const firstFreePort = 1024;
export const sockets = { server: 'server.sock', proxy: 'proxy.sock' } as const;

/** Plans the network of a sandbox. */
export function planNetwork({ address, network }: Pick<Sandbox, 'address' | 'network'>, run: string): NetworkPlan {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const server = { host, port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port) };
  if (network === 'host') return { server, forwards: [], hosts: '', variables: {}, hasLowPort: false };
  const listeners = listenersFor(host).map((own) => ({ host: own, port: server.port, socket: `${run}/${sockets.server}` }));
  const port = server.port === proxyPort ? proxyPort + 1 : proxyPort;
  const proxy = `http://127.0.0.1:${port}`;
  const direct = ['localhost', '127.0.0.1', '::1', ...(listeners.length > 0 ? [host] : [])].join(',');
  return {
    server,
    forwards: [...listeners, { host: '127.0.0.1', port, socket: `${run}/${sockets.proxy}` }],
    hosts: isIP(host) || host === 'localhost' ? '' : `127.0.0.1 ${host}\n`,
    variables: {
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      http_proxy: proxy,
      https_proxy: proxy,
      NO_PROXY: direct,
      no_proxy: direct,
      NODE_USE_ENV_PROXY: '1',
    },
    hasLowPort: listeners.some((one) => one.port < firstFreePort),
  };
}

/** The addresses at which the server is found in the sandbox. An address of another machine is reached by the proxy. */
function listenersFor(host: string): string[] {
  if (host === '0.0.0.0') return ['127.0.0.1'];
  if (host === '::') return ['::1'];
  const family = isIP(host);
  if (family === 0) return ['127.0.0.1'];
  return loopback.check(host, family === 4 ? 'ipv4' : 'ipv6') ? [host] : [];
}
