const keywords = [
  ...[
    'function',
    'class',
    'interface',
    'type',
    'enum',
    'struct',
    'trait',
    'impl',
    'def',
    'fn',
    'func',
    'fun',
    'module',
    'namespace',
  ],
  ...['package', 'sub', 'proc', 'macro', 'protocol', 'record', 'union', 'object', 'const', 'let', 'var', 'val', 'table', 'view'],
];

const modifiers = [
  ...[
    'export',
    'default',
    'declare',
    'public',
    'private',
    'protected',
    'internal',
    'static',
    'abstract',
    'final',
    'sealed',
    'async',
  ],
  ...['pub', 'unsafe', 'extern', 'override', 'open', 'data', 'inline', 'virtual', 'readonly', 'partial', 'create', 'mut'],
];

// It matches within one line, since a pattern across lines would rescan the following lines for each line.
const line = new RegExp(
  `^[ \\t]{0,8}(?:(?:${modifiers.join('|')})[ \\t]+){0,8}(?:${keywords.join('|')})\\b\\*?[ \\t]+([\\p{L}_$][\\p{L}\\p{N}_$]*)`,
  'gmu',
);
const macro = /^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)/gm;

/** The maximum number of indexed names of one file. */
const maxNames = 500;

/** The names that a text defines, recognized by keywords at the beginning of lines. Hits in definitions rank higher. */
export function definitionsOf(text: string): Set<string> {
  const names = new Set<string>();
  for (const pattern of [line, macro]) {
    for (const [, name] of text.matchAll(pattern)) {
      if (name && name.length > 1) names.add(name);
      if (names.size >= maxNames) return names;
    }
  }
  return names;
}
