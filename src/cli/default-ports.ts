import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config, SettingName, Source } from './settings.ts';

/** The parts of a server that listen on ports of their own, by the settings of port and address. */
const parts = [
  { port: 'sshPort', address: 'sshUrl', flag: '--ssh-port', name: 'Git over SSH is' },
  { port: 'pagesPort', address: 'pagesUrl', flag: '--pages-port', name: 'Websites of repositories are' },
] as const;

/** The ports that were turned off. */
export type PortsOff = Partial<Record<(typeof parts)[number]['port'], 'off'>>;

/**
 * Turns off the parts of a server whose port is in use, where neither the port nor an address of theirs was set: a second server on one
 * machine starts without them. Returns a warning for each. A port that was set is an error when the server listens.
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
    if (!(await isTaken(config.host, port))) continue;
    off[setting] = 'off';
    warnings.push(`${name} off, since port ${port} of ${config.host} is in use: choose another by ${flag}, or off`);
  }
  return { off, warnings };
}

/** Whether another process listens on a port. Other reasons for which it can't be used are left to the server itself. */
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
