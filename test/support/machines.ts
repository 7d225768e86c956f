import { noProvider, type Provider, type RunnerId } from '#runner-providers/provider.ts';

/** A provider whose machines only exist in memory, and run nothing. */
export function machinesInMemory(): Provider {
  const made = new Set<RunnerId>();
  return {
    ...noProvider,
    name: 'memory',
    check: async () => ({ detail: 'memory: machines of tests' }),
    async provision({ id }) {
      made.add(id);
      return { publicIps: [] };
    },
    async remove(runner) {
      made.delete(runner);
    },
    observe: async () => ({ runners: [...made].map((runner) => ({ runner, isRunning: true })), contents: [] }),
  };
}
