import { once } from 'node:events';
import { createServer } from 'node:net';
import { sharesHost } from './pages-host.ts';
import type { Config, SettingName, Source } from './settings.ts';

/** The parts of a server that listen on their own ports, as the settings for port and address. */
const parts = [
  { port: 'sshPort', address: 'sshUrl', flag: '--ssh-port', name: 'Git over SSH is' },
  { port: 'pagesPort', address: 'pagesUrl', flag: '--pages-port', name: 'Websites of repositories are' },
] as const;

/** The ports that were turned off. */
export type PortsOff = Partial<Record<(typeof parts)[number]['port'], 'off'>>;

/**
 * Turns off the parts of a server whose default port is in use, if neither the port nor the address was set. A second server on
 * one machine thus starts without them. Returns a warning for each. If a port was set, the server fails when it listens.
 */
export async function turnOffTakenDefaults(
  config: Config,
  sources: Readonly<Record<SettingName, Source>>,
): Promise<{ off: PortsOff; warnings: string[] }> {
  const off: PortsOff = {};
  const warnings: string[] = [];
  for (const { port: setting, address, flag, name } of parts) {
    const port = config[setting];
    if (port === 'off' || sources[setting] !== 'initial' || config[address] !== undefined) continue;
    if (setting === 'pagesPort' && sharesHost(config)) continue;
    if (!(await isTaken(config.host, port))) continue;
    off[setting] = 'off';
    warnings.push(`${name} off, since port ${port} of ${config.host} is in use: choose another by ${flag}, or off`);
  }
  return { off, warnings };
}

/** Whether another process listens on a port. The server itself reports other reasons why a port can't be used. */
async function isTaken(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  }
  server.close();
  await once(server, 'close');
  return false;
}
