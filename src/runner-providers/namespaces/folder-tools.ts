import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { FolderTools } from '#runner-providers/machines/content.ts';

const run = promisify(execFile);
const kibibyte = 1_024;

/** Whether this process is root of the machine, or of the container that it is in. */
export const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * Handles the folders of sandboxes by the system's programs, which cope with what jobs leave behind: folders that even their
 * owner may not enter, and paths of any length. Where Hearth isn't root, they run as root of a user namespace, to which all files
 * of its user belong.
 */
export function folderToolsFor(path: string): FolderTools {
  const env = { PATH: path, LC_ALL: 'C' };
  const runTool = async (program: string, ...words: string[]): Promise<string> => {
    const command = [...(isRoot() ? [] : ['unshare', '--user', '--map-root-user', '--']), program, ...words];
    const [first = program, ...others] = command;
    return (await run(first, others, { env })).stdout;
  };
  return {
    copy: async (from, to) => void (await runTool('cp', '-a', '--', from, to)),
    async remove(folder) {
      // A process that is just being killed may write once more.
      await runTool('rm', '-rf', '--', folder).catch(() => runTool('rm', '-rf', '--', folder));
    },
    async sizeOf(folder) {
      // It fails if a file disappears meanwhile, and counts the others.
      const text = await runTool('du', '-sk', '--', folder).catch((error: { stdout?: string }) => error.stdout ?? '');
      const kibibytes = Number.parseInt(text, 10);
      if (Number.isNaN(kibibytes)) throw new Error(`The size of ${folder} could not be measured`);
      return kibibytes * kibibyte;
    },
  };
}
