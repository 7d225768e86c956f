import type { NewAnnotation } from '#resources/code/checks/index.ts';

/**
 * An annotation in the log of a step, for example `::error file=a.js,line=3::Missing semicolon`. Runners may put symbols before
 * it. After a word or a quote, it is part of an ordinary text.
 */
const command = /^[^:\p{L}\p{N}"'`]{0,16}::(error|warning|notice)(?: ([^:]{0,4096}))?::(.+)$/su;
/** Commands that start and end a group of lines, and the one that disables commands until a given word. */
const beginsGroup = '::group::Run ';
const endsGroup = '::endgroup::';
const stops = /^::stop-commands::(\S+)$/;

const levels = { error: 'failure', warning: 'warning', notice: 'notice' } as const;
const maxPosition = 2_147_483_647;
const maxMessage = 60_000;

/** Finds the first annotations in a log, part by part, up to a limit. */
type AnnotationReader = { found(): NewAnnotation[]; read(part: string): void };

/**
 * Reads whole lines of a log, each with a leading time. Before a step runs, runners show its script in a group whose last line
 * names its shell. Commands in that group are ignored.
 */
export function openAnnotationReader(most: number): AnnotationReader {
  const all: NewAnnotation[] = [];
  let group: { annotations: NewAnnotation[]; isScript: boolean } | undefined;
  let stoppedBy: string | undefined;
  const isOver = (text: string): boolean => text === endsGroup || text.startsWith(beginsGroup);
  const inGroup = (): NewAnnotation[] => (group && !group.isScript ? group.annotations : []);
  const readLine = (text: string): void => {
    if (all.length >= most) return;
    if (stoppedBy !== undefined) {
      if (text === `::${stoppedBy}::`) stoppedBy = undefined;
      return;
    }
    if (isOver(text)) {
      all.push(...inGroup());
      group = text === endsGroup ? undefined : { annotations: [], isScript: false };
    }
    if (group && text.startsWith('shell: ')) group.isScript = true;
    if (!group) stoppedBy = stops.exec(text)?.[1];
    const { annotations, isScript = false } = group ?? { annotations: all };
    const annotation = isScript || annotations.length >= most ? undefined : annotationOf(text);
    if (annotation) annotations.push(annotation);
  };
  return {
    found: () => [...all, ...inGroup()].slice(0, most),
    read(part) {
      if (all.length >= most) return;
      if (!group && !part.includes('::')) return;
      for (const line of part.split('\n')) readLine(line.slice(line.indexOf(' ') + 1).trimEnd());
    },
  };
}

/** The annotation in a line without its time; undefined for other lines. */
function annotationOf(text: string): NewAnnotation | undefined {
  const [, level, parameters = '', message = ''] = command.exec(text) ?? [];
  if (level === undefined) return undefined;
  const given = new Map(parameters.split(',').map((one) => pairOf(one)));
  const start_line = positionOf(given.get('line')) ?? 1;
  const end_line = Math.max(start_line, positionOf(given.get('endLine')) ?? start_line);
  const start = positionOf(given.get('col'));
  const end = positionOf(given.get('endColumn'));
  const title = given.get('title')?.slice(0, 255);
  return {
    // The public API's path for annotations without a file.
    path: given.get('file')?.slice(0, 4_096) || '.github',
    start_line,
    end_line,
    // Columns are allowed only within a single line.
    ...(start_line === end_line && start !== undefined ? { start_column: start, end_column: Math.max(start, end ?? start) } : {}),
    annotation_level: levels[level as keyof typeof levels],
    message: unescaped(message).slice(0, maxMessage),
    ...(title ? { title } : {}),
  };
}

function pairOf(parameter: string): [string, string] {
  const at = parameter.indexOf('=');
  return [parameter.slice(0, Math.max(0, at)).trim(), unescaped(parameter.slice(at + 1)).trim()];
}

/** A line or column number; undefined if invalid. */
function positionOf(text: string | undefined): number | undefined {
  const number = text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= maxPosition ? number : undefined;
}

const escapes = { '%0A': '\n', '%0D': '\r', '%3A': ':', '%2C': ',', '%25': '%' } as const;

const unescaped = (text: string): string =>
  text.replace(/%(0A|0D|3A|2C|25)/gi, (found) => escapes[found.toUpperCase() as keyof typeof escapes]);
