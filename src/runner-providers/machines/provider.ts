// What all providers share whose runners are folders of this machine. They differ in their kind of machine.
import { join } from 'node:path';
import type { Observation, Provider, ProviderCheck, RunnerOrder } from '#runner-providers/provider.ts';
import { captureFolder, type FolderTools, listContents, removeContent } from './content.ts';
import { listMachines, listPrograms, type ProgramKind, startProgram, stopOwnPrograms, stopProgram } from './programs.ts';

/** A kind of machine. Each machine is a folder. */
type MachineKind = {
  readonly name: string;
  check(): Promise<ProviderCheck>;
  /** Makes the folder of a machine, or updates it to the order. */
  provision(machine: string, order: RunnerOrder, images: string): Promise<void>;
  /** Ends the processes of a machine, except its programs. */
  end(machine: string): Promise<void>;
  /** Ends them if this process started them, or if the process that did has ended. */
  endOwn(machine: string): Promise<void>;
  observe(machine: string): Promise<Omit<Observation, 'runner'>>;
  /** Replies to the publish request that was observed. */
  answer(machine: string, result: object): Promise<void>;
  /** The folder whose copy becomes the content of an image. */
  folderToCapture(machine: string, content: string | undefined): Promise<string>;
  readonly tools: FolderTools;
  /** How programs run jobs; undefined: the machines run none. */
  readonly programs: ProgramKind | undefined;
};

/** A provider that makes a folder on this machine for each runner, below `folder`. */
export function machineProvider(folder: string, kind: MachineKind): Provider {
  const machines = join(folder, 'machines');
  const images = join(folder, 'images');
  const machineOf = (runner: RunnerOrder['id']): string => join(machines, String(runner));
  const { tools, programs } = kind;
  const ending = programs ?? {
    remove: tools.remove,
    launch: () => Promise.reject(new Error('No program is set that runs jobs')),
  };
  return {
    name: kind.name,
    givesPublicIps: false,
    check: kind.check,
    async provision(order) {
      await kind.provision(machineOf(order.id), order, images);
      return { publicIps: [] };
    },
    async remove(runner) {
      await kind.end(machineOf(runner));
      const running = (await listPrograms(machines)).filter((one) => one.runner === runner);
      await Promise.all(running.map(({ name }) => stopProgram(machines, ending, runner, name)));
      await tools.remove(machineOf(runner));
    },
    async capture(runner, content) {
      return captureFolder(tools, { images, work: await kind.folderToCapture(machineOf(runner), content), content });
    },
    drop: (content) => removeContent(tools, images, content),
    async observe() {
      const runners = await listMachines(machines);
      return {
        runners: await Promise.all(runners.map(async (runner) => ({ runner, ...(await kind.observe(machineOf(runner))) }))),
        contents: await listContents(images, Date.now()),
      };
    },
    answer: (runner, result) => kind.answer(machineOf(runner), result),
    runsJobs: programs !== undefined,
    start: (order) => startProgram(machines, ending, order),
    stop: (runner, name) => stopProgram(machines, ending, runner, name),
    programs: () => listPrograms(machines),
    async stopAll() {
      const runners = await listMachines(machines);
      await Promise.all([stopOwnPrograms(machines, ending), ...runners.map((runner) => kind.endOwn(machineOf(runner)))]);
    },
  };
}
