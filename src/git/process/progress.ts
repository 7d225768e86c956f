/** One step of a transfer, as git tells it: `Receiving objects`, 40 of 100. */
export type Progress = { phase: string; done: number; total: number };

const line = /^(?:remote: )?([A-Z][\w ]+?): +\d+% \((\d+)\/(\d+)\)/;

/** Reads git's progress lines from pieces of its stderr as they come. */
export function progressReader(tell: (progress: Progress) => void): (text: string) => void {
  let held = '';
  return (text) => {
    const lines = (held + text).split(/[\r\n]/);
    held = (lines.pop() ?? '').slice(-1000);
    for (const one of lines) {
      const [, phase, done, total] = line.exec(one) ?? [];
      if (phase !== undefined) tell({ phase, done: Number(done), total: Number(total) });
    }
  };
}
