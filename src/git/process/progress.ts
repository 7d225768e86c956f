/** One step of a transfer, from git's progress output: `Receiving objects`, 40 of 100. */
export type Progress = { phase: string; done: number; total: number };

const line = /^(?:remote: )?([A-Z][\w ]+?): +\d+% \((\d+)\/(\d+)\)/;

/** Parses git's progress lines from chunks of its stderr. */
export function progressReader(onProgress: (progress: Progress) => void): (text: string) => void {
  let pending = '';
  return (text) => {
    const lines = (pending + text).split(/[\r\n]/);
    pending = (lines.pop() ?? '').slice(-1000);
    for (const one of lines) {
      const [, phase, done, total] = line.exec(one) ?? [];
      if (phase !== undefined) onProgress({ phase, done: Number(done), total: Number(total) });
    }
  };
}
