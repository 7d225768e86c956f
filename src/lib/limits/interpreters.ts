import { kibi, limitGroup } from './limit.ts';

export const interpreterLimits = limitGroup('interpreters', 'Interpreters of texts and files', {
  patternSteps: {
    value: 50_000,
    unit: 'count',
    fixed: true,
    of:
      'steps (a part of a pattern with a part of a path) of matching a path, a ref or a name with one pattern of a ' +
      'ruleset, an environment, a setting of actions or a review rule',
    past: '413; a push or a merge is refused',
  },
  patternWorkSteps: {
    value: 4_000_000,
    unit: 'count',
    fixed: true,
    of:
      'such steps of all patterns that are matched before other work goes on, where reading a character of a pattern, with all ' +
      'that its braces stand for, counts as 20',
    past: '413; a push or a merge is refused',
  },
  patternTotalSteps: {
    value: 500_000_000,
    unit: 'count',
    fixed: true,
    of: 'such steps of all refs or files of a push or a merge, and of all folders among which the dependency bot looks',
    past: '413; a push or a merge is refused; the bot leaves further folders out',
  },
  archiveHeader: {
    value: 64 * kibi,
    unit: 'bytes',
    fixed: true,
    of: 'what stands before one file of an archive: its name and its properties',
    past: 'the archive is refused',
  },
  archiveSharedHeader: {
    value: 4 * kibi,
    unit: 'bytes',
    fixed: true,
    of: 'the properties that all files of an archive share',
    past: 'the archive is refused',
  },
});
