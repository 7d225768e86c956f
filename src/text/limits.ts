import { kibi, limitGroup, mebi, seconds } from '#lib/limits.ts';

export const textLimits = limitGroup('texts', 'Texts', {
  references: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'distinct references of each kind (people, teams, issues, commits) that are read in one text',
    past: 'further ones are plain words',
  },
  links: {
    value: 10_000,
    unit: 'count',
    fixed: true,
    of: 'references and autolinks in one text that become links, repeated ones included',
    past: 'further ones are plain words',
  },
  nesting: {
    value: 20,
    unit: 'count',
    fixed: true,
    of: 'quotes and lists inside each other in a Markdown text (a list counts twice)',
    past: 'what is nested deeper is neither read nor rendered',
  },
  tags: {
    value: 5_000,
    unit: 'count',
    fixed: true,
    of: 'tags of raw HTML in a Markdown text',
    past: 'further ones are shown as text',
  },
  page: {
    value: 1 * mebi,
    unit: 'bytes',
    fixed: true,
    of: 'the texts of one reply that are rendered together, and a file that is',
    past: 'further texts are shown as they were written; 403 for a file',
  },
  html: {
    value: 4 * mebi,
    unit: 'count',
    fixed: true,
    of: 'characters of the HTML of a text, and of the texts of one reply that are rendered together',
    past: 'further texts are shown as they were written',
  },
  inProcess: {
    value: kibi,
    unit: 'count',
    fixed: true,
    of: 'characters of a Markdown text that is rendered, or read, without a worker thread',
    past: 'a worker thread does so',
  },
  time: {
    value: 3 * seconds,
    unit: 'milliseconds',
    fixed: true,
    of: 'the processor time in which a Markdown text is rendered, or read, by a worker thread',
    past: 'it is shown as it was written, and its references are plain words',
  },
  kept: {
    value: 32 * mebi,
    unit: 'bytes',
    fixed: true,
    of: 'rendered texts of each form that a process keeps',
    past: 'the least recently used texts are rendered again',
  },
});

export const codeLimits = limitGroup('code', 'Source code on pages', {
  highlighted: {
    value: 256 * kibi,
    unit: 'count',
    fixed: true,
    of: 'characters of source code on one page that are highlighted',
    past: 'the code is shown without colours',
  },
  time: {
    value: 2 * seconds,
    unit: 'milliseconds',
    fixed: true,
    of: 'the processor time in which source code is highlighted by a worker thread',
    past: 'the code is shown without colours',
  },
  kept: {
    value: 32 * mebi,
    unit: 'bytes',
    fixed: true,
    of: 'highlighted source code that a process keeps',
    past: 'the least recently shown is highlighted again',
  },
});
